// SPDX-License-Identifier: Apache-2.0

// What the host writes down, beside what it tells those who ask.
extension BluetoothHost {
    /// Peers can make a host talk: only so many lines in so much time are their due.
    func log(_ text: String) {
        guard let suppressed = logBudget.spend(now: executor.now) else { return }
        if suppressed > 0 {
            configuration.logger.debug("\(suppressed) lines like the next were left out")
        }
        configuration.logger.debug("\(text)")
    }

    /// That an adapter cannot be used is for people to read, since what helps may be theirs to do; once,
    /// however often it is tried again in vain.
    func log(_ state: AdapterState) {
        switch state {
        case .unavailable(let failure) where failure != loggedFailure:
            loggedFailure = failure
            configuration.logger.warning("the adapter cannot be used: \(failure)")
        case .ready where loggedFailure != nil:
            loggedFailure = nil
            configuration.logger.notice("the adapter \(transport.name) can be used again")
        default: configuration.logger.debug("adapter \(transport.name): \(state)")
        }
    }
}
