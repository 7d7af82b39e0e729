// SPDX-License-Identifier: Apache-2.0

/// One central manager as its adapter knows it.
struct CentralSession: Sendable {
    let identifier: SessionIdentifier
    let delivery: Delivery<CentralEvent>
    /// The name under which the application wants its intents restored at the next launch.
    var restoreIdentifier: String?
}
