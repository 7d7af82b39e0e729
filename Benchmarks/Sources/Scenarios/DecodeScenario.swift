// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// The decoding of one notification from the controller's bytes to a value: framing, ACL, L2CAP,
/// ATT, GATT. It has no host, no transport, and no tasks.
public struct DecodeScenario {
    private let bytes: [UInt8]
    private var deframer = H4Deframer()
    private var recombiner = FrameRecombiner()
    private var bearer = ATTBearer()
    private var client = GATTClient()

    /// Prepares the bytes of a notification.
    ///
    /// - Parameter size: The number of bytes in the notified value.
    public init(size: Int) {
        bytes = ScriptedServer.notification(of: [UInt8](repeating: 0x5A, count: size))
    }

    /// Decodes one notification. Returns the length of its value, or `nil` if a layer failed.
    public mutating func decode() -> Int? {
        deframer.append(bytes[...])
        guard case .acl(let packet)? = try? deframer.next(),
            case .frame(let frame) = recombiner.receive(packet),
            case .notified(_, let value, _)? =
                client.receive(bearer.receive(frame.payload), on: &bearer).first
        else { return nil }
        return value.count
    }
}
