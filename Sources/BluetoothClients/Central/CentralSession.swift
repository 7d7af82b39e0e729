// SPDX-License-Identifier: Apache-2.0

/// A central manager at its adapter.
package struct CentralSession: Sendable {
    package let identifier: SessionIdentifier
    package let delivery: Delivery<CentralEvent>
    /// The name under which the manager's state is restored at the next launch.
    package var restoreIdentifier: String?
    /// Whether the manager follows the rules for applications in the background.
    package var followsBackgroundRules = false
    /// The number of states that were sent to the manager. A command from before the manager
    /// received the last one is ignored, because it was meant for the former state.
    var statesSent = 0
    /// The peers whose connection events the manager registered for; `nil` if it did not register.
    var connectionEvents: ConnectionEventRequest?
    /// The manager's scan; `nil` while it does not scan.
    var scan: RequestedScan?

    package init(
        identifier: SessionIdentifier,
        delivery: Delivery<CentralEvent>,
        restoreIdentifier: String? = nil,
        followsBackgroundRules: Bool = false
    ) {
        self.identifier = identifier
        self.delivery = delivery
        self.restoreIdentifier = restoreIdentifier
        self.followsBackgroundRules = followsBackgroundRules
    }
}
