// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHost
import BluetoothTypes
import CoreBluetoothEnumerations

/// What an adapter keeps of peripheral managers.
struct ServerPart: Sendable {
    var sessions: [SessionIdentifier: PeripheralManagerSession] = [:]
    var tree = PublishedTree()
    /// Services that are to go as soon as nothing includes them any more.
    var leaving: [GATT.PublishedService] = []
    var subscriptions = SubscriptionBook()
    var questions = QuestionBook()
    /// Who is connected, and how much fits into a value for it.
    var links: [LinkIdentifier: ServedCentral] = [:]
    var advertising = AdvertisingPart()
}

// Managers that come and go.
extension SharedAdapter {
    func open(_ session: PeripheralManagerSession) {
        server.sessions[session.identifier] = session
        restore(session)
        noteProtection()
        if state != .unknown { tellState(toPeripheralManager: session.identifier) }
        if state == .poweredOn { resumeAdvertising() }
    }

    /// A manager is gone, and with it all that it has published and advertised.
    func close(peripheralManager session: SessionIdentifier) {
        restoration.leave(session)
        for question in server.questions.leave(session) {
            onHost { $0.answer(question, .failure(.unlikelyError)) }
        }
        closeListeners(of: session)
        stopAdvertising(for: session)
        unpublishAll(of: session)
        server.advertising.tickets[session] = nil
        server.sessions[session] = nil
    }

    func tellState(toPeripheralManager session: SessionIdentifier) {
        server.sessions[session]?.statesTold += 1
        post(PeripheralManagerEvent.stateChanged(state), to: session)
    }

    func post(_ event: PeripheralManagerEvent, to session: SessionIdentifier) {
        guard let entry = server.sessions[session] else { return }
        keepIntents(of: session)
        post(event, to: entry)
    }
}

// The adapter's power.
extension SharedAdapter {
    /// Services stay, and advertising pauses, as long as the adapter is only off.
    func serverLostPower() {
        for link in server.links.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            unsubscribeAll(on: link)
        }
        server.tree.powerLost()
        pauseAdvertising()
    }

    func serverGainedPower() { resumeAdvertising() }

    /// Below off everything is gone, and has to be published and begun again.
    func serverStateChanged() {
        guard state.rawValue < CBManagerState.poweredOff.rawValue else { return }
        forgetAdvertising()
        for session in server.sessions.keys { unpublishAll(of: session) }
    }
}

// Links.
extension SharedAdapter {
    func serverLinkOpened(_ link: LinkIdentifier, to address: DeviceAddress, _ role: LinkRole) {
        server.links[link] = ServedCentral(
            peer: onHost { $0.identifier(of: address) },
            maximumUpdateValueLength: Self.updateLength(mtu: ATT.defaultMTU)
        )
        guard role == .peripheral else { return }
        switches.change { _ = $0.grounds.centralsLinks.insert(link) }
    }

    func serverLinkClosed(_ link: LinkIdentifier, _ error: HostError) {
        unsubscribeAll(on: link)
        server.questions.linkClosed(link)
        server.links[link] = nil
        switches.change { _ = $0.grounds.centralsLinks.remove(link) }
    }

    func serverMTUChanged(_ mtu: Int, on link: LinkIdentifier) {
        guard let peer = server.links[link]?.peer else { return }
        let central = ServedCentral(
            peer: peer,
            maximumUpdateValueLength: Self.updateLength(mtu: mtu)
        )
        server.links[link] = central
        for session in server.sessions.values { post(.lengthChanged(central), to: session) }
    }

    /// The link to a central; nil if it is gone.
    func servedLink(to peer: PeerIdentifier) -> LinkIdentifier? {
        server.links.filter { $0.value.peer == peer }.keys.max { $0.rawValue < $1.rawValue }
    }

    /// What fits into a notification beside its opcode and handle.
    private static func updateLength(mtu: Int) -> Int { mtu - 3 }

    func served(_ news: ServerNews, on link: LinkIdentifier) {
        switch news {
        case .asked(let id, let question): asked(id, question, on: link)
        case .subscribed(let handle, let kind): configured(handle, kind, on: link)
        case .connected, .written, .readyToNotify: break
        }
    }
}
