// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension Signaling {
    /// A rejection of a command that the receiver cannot process (Vol 3, Part A, 4.1).
    package enum CommandReject: Parameters {
        package static let code = Code.commandReject

        /// The command is unknown, or not allowed for this device.
        case notUnderstood
        /// The command is longer than `mtu`, the maximum length that its receiver accepts.
        case mtuExceeded(mtu: UInt16)
        /// The channel does not exist. `local` is the end at the receiver of the rejected command,
        /// and `remote` is the end at its sender.
        case invalidChannel(local: ChannelIdentifier, remote: ChannelIdentifier)
        /// A reason from a later version of the specification.
        case unknown(reason: UInt16, data: ArraySlice<UInt8>)

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            switch try reader.readUInt16() {
            case 0x0000: self = .notUnderstood
            case 0x0001: self = .mtuExceeded(mtu: try reader.readUInt16())
            case 0x0002:
                let local = ChannelIdentifier(rawValue: try reader.readUInt16())
                let remote = ChannelIdentifier(rawValue: try reader.readUInt16())
                self = .invalidChannel(local: local, remote: remote)
            case let reason: self = .unknown(reason: reason, data: reader.readRemaining())
            }
        }

        package func encode(into writer: inout ByteWriter) {
            switch self {
            case .notUnderstood: writer.write(UInt16(0x0000))
            case .mtuExceeded(let mtu):
                writer.write(UInt16(0x0001))
                writer.write(mtu)
            case .invalidChannel(let local, let remote):
                writer.write(UInt16(0x0002))
                writer.write(local.rawValue)
                writer.write(remote.rawValue)
            case .unknown(let reason, let data):
                writer.write(reason)
                writer.write(contentsOf: data)
            }
        }
    }
}
