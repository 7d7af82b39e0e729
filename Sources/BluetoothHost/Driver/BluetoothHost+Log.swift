// SPDX-License-Identifier: Apache-2.0

// The host's log.
extension BluetoothHost {
    /// Logs a line at the level `debug`. The number of lines is limited, because peers can cause
    /// them.
    func log(_ text: String) {
        guard let suppressed = logBudget.spend(now: executor.now) else { return }
        if suppressed > 0 {
            configuration.logger.debug("\(suppressed) similar lines were suppressed")
        }
        configuration.logger.debug("\(text)")
    }

    /// Logs a change of the adapter's state. A failure is a warning, because a person may have to
    /// fix it. It is logged once, although the host keeps trying.
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
