// SPDX-License-Identifier: Apache-2.0
import BluetoothTypes
import VirtualAccessories

/// A small database in which every attribute has a fixed handle.
///
/// 1 to 5 Generic Access, 6 to 9 Generic Attribute (9 configures Service Changed), 10 to 13 Battery
/// (12 the level, 13 its configuration), 14 to 22 a service with a UUID of 128 bits: 16 a long
/// value to read and write, 17 its description, 19 a value that is only notified and indicated, 20
/// its configuration, 22 a value that takes one byte, 01, and then ends the connection.
enum TestProfile {
    static let own = (0..<5).compactMap {
        BluetoothUUID("4C414E59-4152-4400-A000-00000000F00\($0)")
    }
    static let long = (0..<40).map { UInt8($0) }

    static let profile = SimpleAccessoryProfile(
        name: "T",
        appearance: 0x0341,
        services: [
            .init(
                BluetoothUUID(0x180F),
                [.init(BluetoothUUID(0x2A19), [.read, .notify], value: [87], stream: levels)]
            ),
            .init(
                own[0],
                [
                    .init(
                        own[1],
                        [.read, .write, .writeWithoutResponse],
                        value: long,
                        descriptors: [.userDescription("Long")]
                    ),
                    .init(own[2], [.notify, .indicate], stream: burst),
                    .init(own[3], .write, reaction: disconnecting),
                ]
            ),
        ],
        advertisedServices: [BluetoothUUID(0x180F)],
        address: .public,
        mtu: 64
    )

    /// A level each second.
    private static let levels = ValueStream(every: .seconds(1)) { [UInt8(truncatingIfNeeded: $0)] }
    /// Three numbers without a pause.
    private static let burst = ValueStream(every: .zero, limit: 3) { [0xB0 + UInt8($0)] }

    private static let disconnecting = WriteReaction { written, values in
        guard written == [1] else { return .refused(.init(rawValue: 0x81)) }
        values[own[1]] = Array("bye".utf8)
        return .accepted([.disconnect])
    }
}
