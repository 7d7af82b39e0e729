// SPDX-License-Identifier: Apache-2.0

/// One central manager as its adapter knows it.
struct CentralSession: Sendable {
    let identifier: SessionIdentifier
    let delivery: Delivery<CentralEvent>
    /// The name under which the application wants its intents restored at the next launch.
    var restoreIdentifier: String?
    /// Whether the manager is treated as that of an application in the background.
    var followsBackgroundRules = false
    /// How many states it was told. A command that was given before it had heard of the last one is
    /// one for a Bluetooth that is gone.
    var statesTold = 0
    /// The peers whose connections it wants to hear of; nil if it did not ask.
    var connectionEvents: ConnectionEventWish?
    /// What it scans for; nil while it does not.
    var scan: ScanWish?
}
