// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that sets the events that the controller may send (Vol 4, Part E, 7.3.1).
    package struct SetEventMask: CommandCompleteCommand {
        package static let opcode = Opcode.setEventMask

        package var mask: EventMask

        package init(mask: EventMask) {
            self.mask = mask
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            mask = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(mask)
        }
    }

    /// A command that returns the controller to its initial state: no links, no scanning, default
    /// masks (Vol 4, Part E, 7.3.2).
    package struct Reset: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.reset
        package init() {}
    }

    /// A command that turns the flow control of the host's buffers on or off (Vol 4, Part E,
    /// 7.3.38).
    package struct SetControllerToHostFlowControl: CommandCompleteCommand {
        package static let opcode = Opcode.setControllerToHostFlowControl

        package var mode: HostFlowControl

        package init(mode: HostFlowControl) {
            self.mode = mode
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            mode = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(mode)
        }
    }

    /// A command that informs the controller of the sizes and numbers of the host's buffers
    /// (Vol 4, Part E, 7.3.39).
    package struct HostBufferSize: CommandCompleteCommand {
        package static let opcode = Opcode.hostBufferSize

        package var aclPacketLength: UInt16
        package var synchronousPacketLength: UInt8
        package var aclPacketCount: UInt16
        package var synchronousPacketCount: UInt16

        package init(
            aclPacketLength: UInt16,
            synchronousPacketLength: UInt8 = 0,
            aclPacketCount: UInt16,
            synchronousPacketCount: UInt16 = 0
        ) {
            self.aclPacketLength = aclPacketLength
            self.synchronousPacketLength = synchronousPacketLength
            self.aclPacketCount = aclPacketCount
            self.synchronousPacketCount = synchronousPacketCount
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            aclPacketLength = try reader.decode()
            synchronousPacketLength = try reader.decode()
            aclPacketCount = try reader.decode()
            synchronousPacketCount = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                aclPacketLength,
                synchronousPacketLength,
                aclPacketCount,
                synchronousPacketCount
            )
        }
    }

    /// A command that returns host buffers to the controller (Vol 4, Part E, 7.3.40).
    ///
    /// The controller answers this command only to report an error, and does not count it against
    /// the number of allowed commands, so the command does not belong in a `CommandQueue`.
    package struct HostNumberOfCompletedPackets: HCICommand {
        package static let opcode = Opcode.hostNumberOfCompletedPackets

        package var completed: [CompletedPackets]

        package init(completed: [CompletedPackets]) {
            self.completed = completed
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            completed = try reader.decodeCountedValues()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encodeCountedValues(completed)
        }
    }

    /// A command that reads the transmit power on a link (Vol 4, Part E, 7.3.35).
    package struct ReadTransmitPowerLevel: CommandCompleteCommand {
        package static let opcode = Opcode.readTransmitPowerLevel

        package var connectionHandle: ConnectionHandle
        package var kind: PowerLevelKind

        package init(connectionHandle: ConnectionHandle, kind: PowerLevelKind = .current) {
            self.connectionHandle = connectionHandle
            self.kind = kind
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            kind = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, kind)
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var connectionHandle: ConnectionHandle
            /// The transmit power in dBm.
            package var level: Int8

            package init(connectionHandle: ConnectionHandle, level: Int8) {
                self.connectionHandle = connectionHandle
                self.level = level
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                connectionHandle = try reader.decode()
                level = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(connectionHandle, level)
            }
        }
    }

    /// A command that sets the second page of the event mask: further events that the controller
    /// may send (Vol 4, Part E, 7.3.69).
    package struct SetEventMaskPage2: CommandCompleteCommand {
        package static let opcode = Opcode.setEventMaskPage2

        package var mask: EventMaskPage2

        package init(mask: EventMaskPage2) {
            self.mask = mask
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            mask = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(mask)
        }
    }

    /// A command that informs a dual-mode controller that its host supports LE (Vol 4, Part E,
    /// 7.3.79).
    package struct WriteLEHostSupport: CommandCompleteCommand {
        package static let opcode = Opcode.writeLEHostSupport

        package var isSupported: Bool
        /// A field that the specification no longer uses.
        package var simultaneous: Bool

        package init(isSupported: Bool = true, simultaneous: Bool = false) {
            self.isSupported = isSupported
            self.simultaneous = simultaneous
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            isSupported = try reader.decode()
            simultaneous = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(isSupported, simultaneous)
        }
    }

    /// A command that reads the authenticated payload timeout of an encrypted link: the longest
    /// time that may pass without an authenticated packet (Vol 4, Part E, 7.3.93).
    package struct ReadAuthenticatedPayloadTimeout: CommandCompleteCommand,
        ConnectionHandleParameters
    {
        package static let opcode = Opcode.readAuthenticatedPayloadTimeout

        package var connectionHandle: ConnectionHandle

        package init(connectionHandle: ConnectionHandle) {
            self.connectionHandle = connectionHandle
        }

        package struct ReturnParameters: HCIReturnParameters {
            package var connectionHandle: ConnectionHandle
            package var timeout: Timeout

            package init(connectionHandle: ConnectionHandle, timeout: Timeout) {
                self.connectionHandle = connectionHandle
                self.timeout = timeout
            }

            package init(from reader: inout ByteReader) throws(MalformedBytes) {
                connectionHandle = try reader.decode()
                timeout = try reader.decode()
            }

            package func encodeParameters(into writer: inout ByteWriter) {
                writer.encode(connectionHandle, timeout)
            }
        }
    }

    /// A command that sets the authenticated payload timeout of an encrypted link: the longest time
    /// that may pass without an authenticated packet (Vol 4, Part E, 7.3.94).
    package struct WriteAuthenticatedPayloadTimeout: CommandCompleteCommand {
        package static let opcode = Opcode.writeAuthenticatedPayloadTimeout
        package typealias ReturnParameters = LinkReturnParameters

        package var connectionHandle: ConnectionHandle
        package var timeout: Timeout

        package init(connectionHandle: ConnectionHandle, timeout: Timeout) {
            self.connectionHandle = connectionHandle
            self.timeout = timeout
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            connectionHandle = try reader.decode()
            timeout = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(connectionHandle, timeout)
        }
    }
}
