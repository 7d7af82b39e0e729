// SPDX-License-Identifier: Apache-2.0

/// A central manager at its adapter.
struct CentralSession: Sendable {
    let identifier: SessionIdentifier
    let delivery: Delivery<CentralEvent>
    /// The name under which the manager's state is restored at the next launch.
    var restoreIdentifier: String?
    /// Whether the manager follows the rules for applications in the background.
    var followsBackgroundRules = false
    /// The number of states that were sent to the manager. A command from before the manager
    /// received the last one is ignored, because it was meant for the former state.
    var statesSent = 0
    /// The peers whose connection events the manager registered for. `nil` if it did not register.
    var connectionEvents: ConnectionEventRequest?
    /// The manager's scan. `nil` while it does not scan.
    var scan: RequestedScan?
}
