// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A request whose response depends on the application's answer.
struct PendingRequest: Sendable {
    /// The work that remains after the application has answered.
    enum Work: Sendable {
        case read(any PendingRead)
        case write(WritePlan)
    }

    let id: GATTServer.RequestID
    /// The attribute about which the application is asked; for a write, the first of them. An
    /// Error Response names this attribute unless the application's answer names another.
    let handle: AttributeHandle
    let deadline: Instant
    let work: Work

    var opcode: ATT.Opcode {
        switch work {
        case .read(let reading): reading.opcode
        case .write(let plan): plan.opcode
        }
    }
}
