// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI.Event {
    /// Decodes an event from its code and parameters.
    ///
    /// - Throws: ``MalformedBytes`` if the parameters are too short, too long, or have a value that
    ///   is not allowed.
    package init(
        code: HCI.EventCode,
        parameters: ArraySlice<UInt8>
    ) throws(MalformedBytes) {
        var reader = ByteReader(parameters)
        switch code {
        case .leMeta:
            let subevent = HCI.LESubeventCode(rawValue: try reader.readUInt8())
            self = try Self.decodeLE(subevent, from: &reader)
        default: self = try Self.decode(code, from: &reader)
        }
        try reader.finish()
    }

    private static func decode(
        _ code: HCI.EventCode,
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> Self {
        switch code {
        case .numberOfCompletedPackets: .numberOfCompletedPackets(try reader.decode())
        case .commandComplete: .commandComplete(try reader.decode())
        case .commandStatus: .commandStatus(try reader.decode())
        case .disconnectionComplete: .disconnectionComplete(try reader.decode())
        case .encryptionChange: .encryptionChange(try reader.decode())
        case .encryptionChangeV2: .encryptionChangeV2(try reader.decode())
        case .encryptionKeyRefreshComplete: .encryptionKeyRefreshComplete(try reader.decode())
        case .readRemoteVersionInformationComplete:
            .readRemoteVersionInformationComplete(try reader.decode())
        case .hardwareError: .hardwareError(try reader.decode())
        case .dataBufferOverflow: .dataBufferOverflow(try reader.decode())
        case .authenticatedPayloadTimeoutExpired:
            .authenticatedPayloadTimeoutExpired(try reader.decode())
        default: .unknown(code, nil, parameters: reader.readRemaining())
        }
    }

    private static func decodeLE(
        _ subevent: HCI.LESubeventCode,
        from reader: inout ByteReader
    ) throws(MalformedBytes) -> Self {
        switch subevent {
        case .advertisingReport: .advertisingReports(try reader.decodeCountedValues())
        case .extendedAdvertisingReport:
            .extendedAdvertisingReports(try reader.decodeCountedValues())
        case .directedAdvertisingReport:
            .directedAdvertisingReports(try reader.decodeCountedValues())
        case .connectionComplete: .connectionComplete(try reader.decode())
        case .enhancedConnectionComplete: .enhancedConnectionComplete(try reader.decode())
        case .enhancedConnectionCompleteV2: .enhancedConnectionCompleteV2(try reader.decode())
        case .connectionUpdateComplete: .connectionUpdateComplete(try reader.decode())
        case .readRemoteFeaturesComplete: .readRemoteFeaturesComplete(try reader.decode())
        case .longTermKeyRequest: .longTermKeyRequest(try reader.decode())
        case .remoteConnectionParameterRequest:
            .remoteConnectionParameterRequest(try reader.decode())
        case .dataLengthChange: .dataLengthChange(try reader.decode())
        case .readLocalP256PublicKeyComplete: .readLocalP256PublicKeyComplete(try reader.decode())
        case .generateDHKeyComplete: .generateDHKeyComplete(try reader.decode())
        case .phyUpdateComplete: .phyUpdateComplete(try reader.decode())
        case .channelSelectionAlgorithm: .channelSelectionAlgorithm(try reader.decode())
        case .scanTimeout: .scanTimeout
        case .advertisingSetTerminated: .advertisingSetTerminated(try reader.decode())
        case .scanRequestReceived: .scanRequestReceived(try reader.decode())
        default: .unknown(.leMeta, subevent, parameters: reader.readRemaining())
        }
    }
}
