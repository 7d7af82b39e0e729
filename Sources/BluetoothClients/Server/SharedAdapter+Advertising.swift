// SPDX-License-Identifier: Apache-2.0

import BluetoothPort

/// The adapter's state for advertising.
struct AdvertisingPart: Sendable {
    var plan = AdvertisingPlan()
    /// The host's advertising set; `nil` while none is requested or running.
    var set: RequestIdentifier?
    /// The number of requests to the port to start or to change a set.
    var requestCount = 0
    /// The number of the request that started `set`.
    var firstRequest = 0
    /// Whether a request for `set` has succeeded.
    var isInForce = false
    /// The starts that are not answered yet.
    var starting: [Start] = []
    /// The number of stops before the start of each manager's advertising.
    var stopCounts: [SessionIdentifier: Int] = [:]

    /// A manager's start of advertising. The number of stops distinguishes it from earlier starts.
    struct Start: Hashable, Sendable {
        let session: SessionIdentifier
        let stopCount: Int
    }
}

extension SharedAdapter {
    package func startAdvertising(
        _ advertisement: AdvertisementRequest,
        stopCount: Int,
        isCurrent: Bool,
        for session: SessionIdentifier
    ) {
        guard isCurrent else {
            return post(
                .advertisingStarted(ClientError.failed(.unknown), stopCount: stopCount),
                to: session
            )
        }
        guard server.advertising.plan.start(advertisement, for: session) else {
            let error = ClientError.failed(.alreadyAdvertising)
            return post(.advertisingStarted(error, stopCount: stopCount), to: session)
        }
        server.advertising.stopCounts[session] = stopCount
        intentsChanged(of: session)
        server.advertising.starting.append(.init(session: session, stopCount: stopCount))
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
        server.advertising.requestCount += 1
        let request = server.advertising.requestCount
        let completion: PortCompletion<Void> = { [weak self] result in
            self?.assumeIsolated { adapter in
                adapter.advertisingAnswered(result, to: starting)
                adapter.setAnswered(result, request)
            }
        }
        if let set = server.advertising.set {
            port.update(set, to: advertising, then: completion)
        } else {
            server.advertising.firstRequest = request
            server.advertising.isInForce = false
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
                post(.advertisingStarted(nil, stopCount: start.stopCount), to: start.session)
            case .failure:
                server.advertising.plan.stop(start.session)
                let error = ClientError.failed(.unknown)
                post(.advertisingStarted(error, stopCount: start.stopCount), to: start.session)
            }
        }
        // A set that failed to start cannot be updated.
        if server.advertising.plan.isEmpty { endSet() }
    }

    /// Handles the result of a request for the set. Ends a set that could not start although managers
    /// have advertised before, for example when Bluetooth was on again. The managers can start
    /// advertising again.
    ///
    /// If Bluetooth is off again, advertising continues later. If a later request changes the set,
    /// its result counts.
    private func setAnswered(_ result: Result<Void, any Error>, _ request: Int) {
        guard case .failure(let error) = result else {
            if request >= server.advertising.firstRequest { server.advertising.isInForce = true }
            return
        }
        guard request == server.advertising.requestCount, !server.advertising.isInForce,
            error as? PortError != .unavailable, let set = server.advertising.set
        else { return }
        advertisingEnded(set)
    }

    /// Returns whether the manager has not stopped advertising since the start.
    private func isCurrent(_ start: AdvertisingPart.Start) -> Bool {
        server.advertising.stopCounts[start.session] == start.stopCount
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

    func reportAdvertising(_ session: SessionIdentifier, isOnAir: Bool) {
        let stopCount = server.advertising.stopCounts[session] ?? 0
        post(.advertisingChanged(isOnAir: isOnAir, stopCount: stopCount), to: session)
    }
}
