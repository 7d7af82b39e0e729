// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

// The end of an application's process while the system's use of the adapter continues, as on a
// phone.
//
// The links, connection requests and subscriptions of a central manager with a restore identifier
// go to a placeholder: a session without a manager. The manager of the next process with this
// identifier takes them over, and the placeholder leaves each link when that manager uses it.
extension SharedAdapter {
    /// Ends all managers of the application. They get no more events, and their commands are
    /// ignored.
    package func endProcess() {
        for session in central.sessions.keys.sorted() {
            storeLastIntents(of: session)
            preserve(session)
            close(central: session)
        }
        for session in server.sessions.keys.sorted() {
            storeLastIntents(of: session)
            close(peripheralManager: session)
        }
    }

    /// Stores the intents for the last time.
    private func storeLastIntents(of session: SessionIdentifier) {
        restoration.changed.insert(session)
        storeIntents(of: session)
        restoration.changed.remove(session)
    }

    private func preserve(_ session: SessionIdentifier) {
        guard let key = restoration.key(of: session), state == .poweredOn else { return }
        let placeholder = SessionIdentifier.next()
        for request in central.core.requests(of: session) {
            let due = central.delays.due(of: session, for: request.peer)
            connect(
                request.peer,
                for: placeholder,
                .next(),
                reconnects: request.reconnects,
                after: due.map { max($0 - executor.now, .zero) } ?? .zero
            )
            guard let link = central.core.link(of: placeholder, to: request.peer) else { continue }
            client.links[link]?.core.subscriptions.share(from: session, with: placeholder)
        }
        for former in restoration.addPlaceholder(placeholder, for: key) {
            close(placeholder: former)
        }
    }

    // MARK: The next process

    /// Ends the placeholder's use of a peer, because the manager uses it now, or no longer requests
    /// it.
    func releasePlaceholder(of peer: PeerIdentifier, for session: SessionIdentifier) {
        guard let key = restoration.key(of: session),
            let placeholder = restoration.placeholders[key]
        else {
            return
        }
        perform(central.core.cancel(placeholder, peer))
        if central.core.requests(of: placeholder).isEmpty { restoration.placeholders[key] = nil }
    }

    /// Ends the placeholder's use of all peers whose databases need no comparison first.
    func releasePlaceholder(for session: SessionIdentifier) {
        guard let key = restoration.key(of: session),
            let placeholder = restoration.placeholders[key]
        else {
            return
        }
        for request in central.core.requests(of: placeholder) {
            let isCompared = restoration.awaitingLink[session]?[request.peer]?.link != nil
            if !isCompared { releasePlaceholder(of: request.peer, for: session) }
        }
        if central.core.requests(of: placeholder).isEmpty { restoration.placeholders[key] = nil }
    }

    private func close(placeholder: SessionIdentifier) {
        for request in central.core.requests(of: placeholder) {
            clientLeft(placeholder, request.peer)
        }
        perform(central.core.close(placeholder))
        central.delays.remove(placeholder)
    }
}

extension AdapterUsage {
    /// Ends the managers of this adapter, as a phone's system does with the managers of an
    /// application whose process ends. The adapter stays open. Links, connection requests and
    /// subscriptions of central managers with a restore identifier stay, and the next manager with
    /// this identifier gets them in `willRestoreState`. Everything else of the managers ends.
    ///
    /// Values that peers send meanwhile are dropped. The managers get no more events, and their
    /// commands are ignored.
    package func endProcess() {
        running?.execute { $0.endProcess() }
    }
}
