// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI {
    /// A command that creates a link. LE Connection Complete or LE Enhanced Connection Complete
    /// reports the link or the cancellation (Vol 4, Part E, 7.8.12).
    package struct LECreateConnection: CommandStatusCommand {
        package static let opcode = Opcode.leCreateConnection

        package var scanInterval: ScanInterval
        package var scanWindow: ScanInterval
        package var filterPolicy: InitiatorFilterPolicy
        /// The address of the peer. The controller ignores it when it uses the Filter Accept List.
        package var peerAddress: PeerAddress
        package var ownAddressType: OwnAddressType
        package var parameters: ConnectionParameters

        package init(
            scanInterval: ScanInterval,
            scanWindow: ScanInterval,
            filterPolicy: InitiatorFilterPolicy,
            peerAddress: PeerAddress,
            ownAddressType: OwnAddressType,
            parameters: ConnectionParameters
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.filterPolicy = filterPolicy
            self.peerAddress = peerAddress
            self.ownAddressType = ownAddressType
            self.parameters = parameters
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            scanInterval = try reader.decode()
            scanWindow = try reader.decode()
            filterPolicy = try reader.decode()
            peerAddress = try reader.decode()
            ownAddressType = try reader.decode()
            parameters = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(
                scanInterval,
                scanWindow,
                filterPolicy,
                peerAddress,
                ownAddressType,
                parameters
            )
        }
    }

    /// A command that cancels the creation of a link. The event that ends the attempt still arrives
    /// (Vol 4, Part E, 7.8.13).
    package struct LECreateConnectionCancel: CommandCompleteCommand, EmptyParameters {
        package static let opcode = Opcode.leCreateConnectionCancel
        package init() {}
    }

    /// The parameters for initiating a link on one PHY.
    package struct PHYInitiatingParameters: HCIParameters {
        package var scanInterval: ScanInterval
        package var scanWindow: ScanInterval
        package var parameters: ConnectionParameters

        package init(
            scanInterval: ScanInterval,
            scanWindow: ScanInterval,
            parameters: ConnectionParameters
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.parameters = parameters
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            scanInterval = try reader.decode()
            scanWindow = try reader.decode()
            parameters = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(scanInterval, scanWindow, parameters)
        }
    }

    /// A command that creates a link, even to an extended advertiser. LE Enhanced Connection
    /// Complete reports the result (Vol 4, Part E, 7.8.66).
    package struct LEExtendedCreateConnection: CommandStatusCommand {
        package static let opcode = Opcode.leExtendedCreateConnection

        package var filterPolicy: InitiatorFilterPolicy
        package var ownAddressType: OwnAddressType
        /// The address of the peer. The controller ignores it when it uses the Filter Accept List.
        package var peerAddress: PeerAddress
        package var phys: PerPHY<PHYInitiatingParameters>

        package init(
            filterPolicy: InitiatorFilterPolicy,
            ownAddressType: OwnAddressType,
            peerAddress: PeerAddress,
            phys: PerPHY<PHYInitiatingParameters>
        ) {
            self.filterPolicy = filterPolicy
            self.ownAddressType = ownAddressType
            self.peerAddress = peerAddress
            self.phys = phys
        }

        package init(from reader: inout ByteReader) throws(MalformedBytes) {
            filterPolicy = try reader.decode()
            ownAddressType = try reader.decode()
            peerAddress = try reader.decode()
            phys = try reader.decode()
        }

        package func encodeParameters(into writer: inout ByteWriter) {
            writer.encode(filterPolicy, ownAddressType, peerAddress, phys)
        }
    }
}
