// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothHost
import BluetoothTypes

/// What an adapter keeps of peripheral managers.
struct ServerPart: Sendable {
    var sessions: [SessionIdentifier: PeripheralManagerSession] = [:]
}

// Managers that come and go.
extension SharedAdapter {
    func open(_ session: PeripheralManagerSession) {
        server.sessions[session.identifier] = session
        if state != .unknown { post(.stateChanged(state), to: session) }
    }

    func close(peripheralManager session: SessionIdentifier) {
        closeListeners(of: session)
        server.sessions[session] = nil
    }

    func serverLostPower() {}

    func serverGainedPower() {}
}

extension SharedAdapter {
    func served(_ news: ServerNews, on link: LinkIdentifier) {}

    func advertisingEnded(_ set: RequestIdentifier, _ end: AdvertisingEnd) {}

    func serverLinkOpened(_ link: LinkIdentifier, to address: DeviceAddress, _ role: LinkRole) {}

    func serverLinkClosed(_ link: LinkIdentifier, _ error: HostError) {}

    func serverMTUChanged(_ mtu: Int, on link: LinkIdentifier) {}
}
