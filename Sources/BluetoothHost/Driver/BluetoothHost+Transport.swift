// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import HCITransports

// The opening of the transport.
extension BluetoothHost {
    func openTransport() {
        guard opening == nil else { return isReopeningWanted = true }
        isOpenAwaited = true
        // The reference is weak, because opening must not keep a released host alive. The task runs
        // on the executor, because with virtual time no code may run outside of it.
        opening = Task(preferring: executor) {
            [weak self, transport, executor] in
            var failure: TransportError?
            do throws(TransportError) {
                try await transport.open(on: executor) { [weak self] event in self?.take(event) }
            } catch {
                failure = error
            }
            guard let self else { return executor.perform { transport.close() } }
            await openingReturned(failure)
        }
    }

    private func openingReturned(_ failure: TransportError?) {
        opening = nil
        guard core.state != .closed else { return transport.close() }
        if isReopeningWanted {
            // The core has already handled the end of this attempt.
            isReopeningWanted = false
            openTransport()
        } else if let failure {
            isOpenAwaited = false
            core.transportClosed(failure.description, now: executor.now)
            drain()
        } else {
            transportOpened()
        }
    }

    /// Informs the core that the transport is open: `open` has returned, or bytes arrived before it
    /// returned.
    private func transportOpened() {
        guard isOpenAwaited, core.state != .closed else { return }
        isOpenAwaited = false
        if let notice = transport.notice {
            configuration.logger.notice("\(transport.name): \(notice)")
        }
        core.transportOpened(
            losesBytes: transport.losesBytes,
            longestPacket: transport.longestPacket,
            now: executor.now
        )
        drain()
    }
}

// The inputs of the transport and the timer.
extension BluetoothHost {
    func receive(_ event: TransportEvent) {
        let now = executor.now
        switch event {
        case .received(let bytes):
            transportOpened()
            core.receive(bytes)
            while core.receiveNextPacket(now: now) { performActions() }
        case .closed(let error):
            isOpenAwaited = false
            core.transportClosed(error?.description ?? "\(transport.name): closed", now: now)
        }
        drain()
    }

    func transportReturned() {
        core.transportReturned()
        drain()
    }

    func timerFired() {
        timerDeadline = nil
        core.deadlinePassed(now: executor.now)
        drain()
    }
}
