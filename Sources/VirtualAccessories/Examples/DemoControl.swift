// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothTypes

/// The demo's control point. A command has five bytes: one byte for the command, two for a count
/// and two for a size.
enum DemoControl {
    private enum Command: UInt8 {
        case resetCounter, notify, indicate, disconnect, requestInterval, grow
    }

    /// The error for an unknown command.
    private static let unknownCommand = ATT.ErrorCode(rawValue: 0x81)

    /// The reaction that stores the written value, and counts the writes in the control point's
    /// value.
    static let countWrites = WriteReaction { written, values in
        values[DemoUUID.writable] = written
        let count = values[DemoUUID.control].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        values[DemoUUID.control] = (count &+ 1).littleEndian4
        return .accepted([])
    }

    /// The reaction that performs a command.
    static let perform = WriteReaction { written, values in
        guard written.count == 5 else { return .refused(.invalidAttributeValueLength) }
        guard let command = Command(rawValue: written[0]) else { return .refused(unknownCommand) }
        let count = Int(written[1]) | Int(written[2]) << 8
        let size = Int(written[3]) | Int(written[4]) << 8
        switch command {
        case .resetCounter:
            values[DemoUUID.control] = [0, 0, 0, 0]
            return .accepted([])
        case .notify: return .accepted([.send(burst(count, size), of: DemoUUID.burst)])
        case .indicate: return .accepted([.send(burst(count, size), of: DemoUUID.indicated)])
        case .disconnect: return .accepted([.disconnect])
        case .requestInterval: return .accepted([.requestInterval(.milliseconds(count))])
        case .grow: return .accepted([.addService(added)])
        }
    }

    /// Returns `count` values of `size` bytes each, but of at least four bytes. Each value begins
    /// with its number.
    private static func burst(_ count: Int, _ size: Int) -> ValueStream {
        ValueStream(every: .zero, limit: count) { number in
            UInt32(truncatingIfNeeded: number).littleEndian4
                + SimpleAccessoryProfile.pattern(size - 4)
        }
    }

    private static let added = SimpleAccessoryProfile.Service(
        DemoUUID.added,
        [.init(DemoUUID.addedValue, .read, value: Array("new".utf8))]
    )
}

extension FixedWidthInteger {
    /// The low two bytes, least significant first.
    var littleEndian2: [UInt8] {
        [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
    }

    /// The low four bytes, least significant first.
    var littleEndian4: [UInt8] { littleEndian2 + (self >> 16).littleEndian2 }
}
