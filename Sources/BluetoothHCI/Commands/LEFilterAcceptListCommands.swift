// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that reads the capacity of the Filter Accept List in devices (Vol 4, Part E,
    /// 7.8.14).
    package struct LEReadFilterAcceptListSize: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leReadFilterAcceptListSize
        package init() {}

        package struct ReturnParameters: HCIReturnParameters {
            package var size: UInt8

            package init(size: UInt8) {
                self.size = size
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                size = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(size)
            }
        }
    }

    /// A command that empties the Filter Accept List. It is not allowed while the list is in use
    /// (Vol 4, Part E, 7.8.15).
    package struct LEClearFilterAcceptList: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leClearFilterAcceptList
        package init() {}
    }

    /// A command that adds a device to the Filter Accept List. It is not allowed while the list is
    /// in use (Vol 4, Part E, 7.8.16).
    package struct LEAddDeviceToFilterAcceptList: CommandCompleteCommand {
        package static let opcode = Opcode.leAddDeviceToFilterAcceptList

        package var address: PeerAddress

        package init(address: PeerAddress) {
            self.address = address
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            address = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(address)
        }
    }

    /// A command that removes a device from the Filter Accept List. It is not allowed while the
    /// list is in use (Vol 4, Part E, 7.8.17).
    package struct LERemoveDeviceFromFilterAcceptList: CommandCompleteCommand {
        package static let opcode = Opcode.leRemoveDeviceFromFilterAcceptList

        package var address: PeerAddress

        package init(address: PeerAddress) {
            self.address = address
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            address = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(address)
        }
    }
}
