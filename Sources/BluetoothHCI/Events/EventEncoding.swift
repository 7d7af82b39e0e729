// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension HCI.Event {
    /// The event as a packet, in the form in which a controller sends it.
    package var packet: HCI.Packet {
        let (code, subevent, parameters) = wireForm
        guard let subevent else { return .event(code: code, parameters: parameters[...]) }
        return .event(code: code, parameters: [subevent.rawValue] + parameters)
    }

    /// The code of the event and, for an LE event, its subevent code.
    package var codes: (HCI.EventCode, HCI.LESubeventCode?) {
        let (code, subevent, _) = wireForm
        return (code, subevent)
    }

    private typealias WireForm = (HCI.EventCode, HCI.LESubeventCode?, [UInt8])

    private var wireForm: WireForm {
        switch self {
        case .disconnectionComplete(let event): Self.form(.disconnectionComplete, event)
        case .encryptionChange(let event): Self.form(.encryptionChange, event)
        case .encryptionChangeV2(let event): Self.form(.encryptionChangeV2, event)
        case .encryptionKeyRefreshComplete(let event):
            Self.form(.encryptionKeyRefreshComplete, event)
        case .readRemoteVersionInformationComplete(let event):
            Self.form(.readRemoteVersionInformationComplete, event)
        case .commandComplete(let event): Self.form(.commandComplete, event)
        case .commandStatus(let event): Self.form(.commandStatus, event)
        case .hardwareError(let event): Self.form(.hardwareError, event)
        case .numberOfCompletedPackets(let event): Self.form(.numberOfCompletedPackets, event)
        case .dataBufferOverflow(let event): Self.form(.dataBufferOverflow, event)
        case .authenticatedPayloadTimeoutExpired(let event):
            Self.form(.authenticatedPayloadTimeoutExpired, event)
        case .unknown(let code, let subevent, let parameters): (code, subevent, Array(parameters))
        default: leWireForm
        }
    }

    private var leWireForm: WireForm {
        switch self {
        case .connectionComplete(let event): Self.form(.connectionComplete, event)
        case .enhancedConnectionComplete(let event): Self.form(.enhancedConnectionComplete, event)
        case .enhancedConnectionCompleteV2(let event):
            Self.form(.enhancedConnectionCompleteV2, event)
        case .connectionUpdateComplete(let event): Self.form(.connectionUpdateComplete, event)
        case .readRemoteFeaturesComplete(let event): Self.form(.readRemoteFeaturesComplete, event)
        case .longTermKeyRequest(let event): Self.form(.longTermKeyRequest, event)
        case .remoteConnectionParameterRequest(let event):
            Self.form(.remoteConnectionParameterRequest, event)
        case .dataLengthChange(let event): Self.form(.dataLengthChange, event)
        case .readLocalP256PublicKeyComplete(let event):
            Self.form(.readLocalP256PublicKeyComplete, event)
        case .generateDHKeyComplete(let event): Self.form(.generateDHKeyComplete, event)
        case .phyUpdateComplete(let event): Self.form(.phyUpdateComplete, event)
        case .channelSelectionAlgorithm(let event): Self.form(.channelSelectionAlgorithm, event)
        case .advertisingReports(let reports): Self.form(.advertisingReport, reports)
        case .directedAdvertisingReports(let reports):
            Self.form(.directedAdvertisingReport, reports)
        case .extendedAdvertisingReports(let reports):
            Self.form(.extendedAdvertisingReport, reports)
        case .scanTimeout: (.leMeta, .scanTimeout, [])
        case .advertisingSetTerminated(let event): Self.form(.advertisingSetTerminated, event)
        case .scanRequestReceived(let event): Self.form(.scanRequestReceived, event)
        // `wireForm` has already handled the other events, which have no subevent code.
        default: (.leMeta, nil, [])
        }
    }

    private static func form(_ code: HCI.EventCode, _ event: some HCIParameters) -> WireForm {
        (code, nil, event.encodedParameters)
    }

    private static func form(_ code: HCI.LESubeventCode, _ event: some HCIParameters) -> WireForm {
        (.leMeta, code, event.encodedParameters)
    }

    private static func form(
        _ code: HCI.LESubeventCode,
        _ reports: [some HCIParameters]
    ) -> WireForm {
        var writer = ByteWriter()
        writer.encodeCountedValues(reports)
        return (.leMeta, code, writer.bytes)
    }
}
