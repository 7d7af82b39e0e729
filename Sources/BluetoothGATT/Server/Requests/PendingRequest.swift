// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A request whose answer depends on the application's.
struct PendingRequest: Sendable {
    /// What is to be done once the application has answered.
    enum Work: Sendable {
        case read(any Reading)
        case write(WritePlan)
    }

    let id: GATTServer.RequestID
    /// What the application is asked about: to be named if it refuses.
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
