// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for advertising.
struct AdvertisingPart: Sendable {
    var plan = AdvertisingPlan()
    /// The host's advertising set; `nil` while none is requested or running.
    var set: RequestIdentifier?
    /// The starts that are not answered yet.
    var starting: [Start] = []
    /// The ticket of the start of each manager's advertising.
    var tickets: [SessionIdentifier: Int] = [:]

    /// A manager's start of advertising. The ticket differs after each stop.
    struct Start: Hashable, Sendable {
        let session: SessionIdentifier
        let ticket: Int
    }
}

extension SharedAdapter {
    package func startAdvertising(
        _ advertisement: AdvertisementRequest,
        ticket: Int,
        isCurrent: Bool,
        for session: SessionIdentifier
    ) {
        guard isCurrent else {
            return post(
                .advertisingStarted(ClientError.failed(.unknown), ticket: ticket),
                to: session
            )
        }
        guard server.advertising.plan.start(advertisement, for: session) else {
            let error = ClientError.failed(.alreadyAdvertising)
            return post(.advertisingStarted(error, ticket: ticket), to: session)
        }
        server.advertising.tickets[session] = ticket
        intentsChanged(of: session)
        server.advertising.starting.append(.init(session: session, ticket: ticket))
        refreshAdvertising()
    }

    package func stopAdvertising(for session: SessionIdentifier) {
        guard server.advertising.plan.advertisement(of: session) != nil else { return }
        server.advertising.plan.stop(session)
        intentsChanged(of: session)
        server.advertising.starting.removeAll { $0.session == session }
        refreshAdvertising()
    }

    /// Pauses advertising, because Bluetooth is off. It resumes when Bluetooth is on.
    func pauseAdvertising() {
        server.advertising.plan.powerLost()
        server.advertising.starting = []
        endSet()
    }

    func resumeAdvertising() {
        guard !server.advertising.plan.isEmpty else { return }
        refreshAdvertising()
        for session in server.advertising.plan.sessions {
            reportAdvertising(session, isOnAir: true)
        }
    }

    func forgetAdvertising() {
        server.advertising.plan.stopAll()
        server.advertising.starting = []
        endSet()
    }

    /// Requests the advertising of the plan from the host.
    private func refreshAdvertising() {
        guard let advertising = server.advertising.plan.advertising else { return endSet() }
        let starting = server.advertising.starting
        server.advertising.starting = []
        let completion: PortCompletion<Void> = { [weak self] result in
            self?.assumeIsolated { $0.advertisingAnswered(result, to: starting) }
        }
        if let set = server.advertising.set {
            port.update(set, to: advertising, then: completion)
        } else {
            server.advertising.set = port.advertise(advertising, then: completion)
        }
    }

    private func advertisingAnswered(
        _ result: Result<Void, any Error>,
        to starts: [AdvertisingPart.Start]
    ) {
        for start in starts where isCurrent(start) {
            switch result {
            case .success:
                post(.advertisingStarted(nil, ticket: start.ticket), to: start.session)
            case .failure:
                server.advertising.plan.stop(start.session)
                let error = ClientError.failed(.unknown)
                post(.advertisingStarted(error, ticket: start.ticket), to: start.session)
            }
        }
        // A set that failed to start cannot be updated.
        if server.advertising.plan.isEmpty { endSet() }
    }

    /// Returns whether the manager has not stopped advertising since the start.
    private func isCurrent(_ start: AdvertisingPart.Start) -> Bool {
        server.advertising.tickets[start.session] == start.ticket
            && server.advertising.plan.advertisement(of: start.session) != nil
    }

    private func endSet() {
        guard let set = server.advertising.set else { return }
        server.advertising.set = nil
        port.endAdvertising(set)
    }

    /// Handles an end of the set that this adapter did not request.
    func advertisingEnded(_ set: RequestIdentifier) {
        guard server.advertising.set == set else { return }
        server.advertising.set = nil
        for session in server.advertising.plan.sessions {
            reportAdvertising(session, isOnAir: false)
            intentsChanged(of: session)
        }
        server.advertising.plan.stopAll()
    }

    private func reportAdvertising(_ session: SessionIdentifier, isOnAir: Bool) {
        let ticket = server.advertising.tickets[session] ?? 0
        post(.advertisingChanged(isOnAir: isOnAir, ticket: ticket), to: session)
    }
}
