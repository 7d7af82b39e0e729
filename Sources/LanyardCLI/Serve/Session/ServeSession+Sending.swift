// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

// What is sent.
extension ServeSession {
    /// Makes room for what a client will be sent.
    func open(_ link: Link) -> LinkOutlet {
        let outlet = LinkOutlet()
        state.withLock { $0.outlets[link] = outlet }
        return outlet
    }

    /// Sends nothing more.
    func closeOutlets() {
        let outlets = state.withLock { state in
            defer { state.outlets = [:] }
            return state.outlets.values
        }
        for outlet in outlets { outlet.close() }
    }

    /// Sends a client what it is to be sent, until that ends.
    func run(
        _ outlet: LinkOutlet,
        on link: Link,
        _ published: PublishedAccessory
    ) async throws {
        try await outlet.run(on: link) { value, error in
            let attribute = published.attribute(value.handle)
            if let error {
                guard !(error is CancellationError) else { return }
                try surroundings.tell(
                    .unsent(link.address, attribute, reason: "\(error)")
                )
            } else if surroundings.isTalkative {
                try surroundings.tell(.sent(link.address, attribute, value.value))
            }
        }
    }

    /// Has a client sent a value when it has room for it.
    func send(
        _ value: [UInt8],
        of handle: AttributeHandle,
        to link: Link,
        _ published: PublishedAccessory
    ) throws {
        let outlet = state.withLock { $0.outlets[link] }
        let attributeValue = GATT.AttributeValue(handle: handle, value: value)
        guard let outlet, !outlet.send(attributeValue) else { return }
        let attribute = published.attribute(handle)
        try surroundings.tell(.unsent(link.address, attribute, reason: "the client is too slow"))
    }

    /// Moves what moves, and sends what is to be sent, each in its time.
    func keepTime(on host: BluetoothHost, _ published: PublishedAccessory) async throws {
        let periods = state.withLock { $0.board.periods }
        var schedule = PeriodSchedule(periods, now: host.executor.now)
        while let deadline = schedule.nextDeadline {
            let now = host.executor.now
            if deadline > now { try await surroundings.sleep(deadline - now) }
            for handle in schedule.takeDue(now: host.executor.now) {
                let value = state.withLock { $0.board.advance(handle) }
                try await sendToAll(value, of: published.attribute(handle), host)
            }
        }
        await EndOfInput.never()
    }

    /// Sends a value to all who have subscribed and have room; the others get the next one.
    private func sendToAll(
        _ value: [UInt8],
        of attribute: ServedAttribute,
        _ host: BluetoothHost
    ) async throws {
        for link in await host.subscribers(of: attribute.handle) {
            let isSent = try? await link.tryNotify(value, of: attribute.handle)
            guard isSent == true, surroundings.isTalkative else { continue }
            try surroundings.tell(.sent(link.address, attribute, value))
        }
    }
}
