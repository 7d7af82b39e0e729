// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// The way of one notification from the controller's bytes to a value: framing, ACL, L2CAP, ATT,
/// GATT. No host, no transport, no tasks.
public struct DecodeScenario {
    private let bytes: [UInt8]
    private var deframer = H4Deframer()
    private var recombiner = FrameRecombiner()
    private var client = GATTClient()

    /// - Parameter size: octets of the notified value.
    public init(size: Int) {
        bytes = ScriptedServer.notification(of: [UInt8](repeating: 0x5A, count: size))
    }

    /// Decodes one notification, and returns how many octets its value has; nil if something on
    /// the way went wrong.
    public mutating func decode() -> Int? {
        deframer.append(bytes[...])
        guard case .acl(let packet)? = try? deframer.next(),
            case .frame(let frame) = recombiner.receive(packet),
            case .notified(_, let value, _)? = client.receive(frame.payload, now: .zero).first
        else { return nil }
        return value.count
    }
}
