// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

extension ControllerStartup {
    /// Records the capabilities in the answer to a step.
    ///
    /// - Throws: ``CommandFailure`` if the step did not succeed.
    static func note(
        _ result: CommandResult,
        of step: StartupStep,
        randomAddress: DeviceAddress?,
        in capabilities: inout ControllerCapabilities
    ) throws(CommandFailure) {
        switch step {
        case .version:
            capabilities.version = try result.decode(as: HCI.ReadLocalVersionInformation.self)
        case .commands:
            capabilities.commands =
                try result.decode(as: HCI.ReadLocalSupportedCommands.self).commands
        case .features:
            capabilities.features =
                try result.decode(as: HCI.ReadLocalSupportedFeatures.self).features
        case .leFeatures:
            capabilities.leFeatures =
                try result.decode(as: HCI.LEReadLocalSupportedFeatures.self).features
        case .buffersV2, .buffers, .sharedBuffers:
            try noteBuffers(result, of: step, in: &capabilities)
        case .publicAddress:
            let address = try result.decode(as: HCI.ReadBDAddress.self).address
            capabilities.publicAddress = address.value == 0 ? nil : address.deviceAddress(.public)
        case .randomAddress:
            try result.requireSuccess()
            capabilities.randomAddress = randomAddress
        case .states:
            capabilities.states = try result.decode(as: HCI.LEReadSupportedStates.self).states
        case .filterAcceptListSize, .resolvingListSize, .maximumDataLength,
            .maximumAdvertisingDataLength, .advertisingSetCount:
            try noteLimit(result, of: step, in: &capabilities)
        case .reset, .eventMask, .eventMaskPage2, .leHostSupport, .leEventMask, .defaultDataLength:
            try result.requireSuccess()
        }
    }

    private static func noteBuffers(
        _ result: CommandResult,
        of step: StartupStep,
        in capabilities: inout ControllerCapabilities
    ) throws(CommandFailure) {
        switch step {
        case .buffersV2:
            let buffers = try result.decode(as: HCI.LEReadBufferSizeV2.self)
            capabilities.aclPacketLength = Int(buffers.aclPacketLength)
            capabilities.aclPacketCount = Int(buffers.aclPacketCount)
        case .buffers:
            let buffers = try result.decode(as: HCI.LEReadBufferSize.self)
            capabilities.aclPacketLength = Int(buffers.aclPacketLength)
            capabilities.aclPacketCount = Int(buffers.aclPacketCount)
        default:
            let buffers = try result.decode(as: HCI.ReadBufferSize.self)
            capabilities.aclPacketLength = Int(buffers.aclPacketLength)
            capabilities.aclPacketCount = Int(buffers.aclPacketCount)
        }
    }

    private static func noteLimit(
        _ result: CommandResult,
        of step: StartupStep,
        in capabilities: inout ControllerCapabilities
    ) throws(CommandFailure) {
        switch step {
        case .filterAcceptListSize:
            capabilities.filterAcceptListSize =
                Int(try result.decode(as: HCI.LEReadFilterAcceptListSize.self).size)
        case .resolvingListSize:
            capabilities.resolvingListSize =
                Int(try result.decode(as: HCI.LEReadResolvingListSize.self).size)
        case .maximumDataLength:
            capabilities.maximumDataLength =
                try result.decode(as: HCI.LEReadMaximumDataLength.self)
        case .maximumAdvertisingDataLength:
            capabilities.maximumAdvertisingDataLength =
                Int(try result.decode(as: HCI.LEReadMaximumAdvertisingDataLength.self).length)
        default:
            capabilities.advertisingSetCount =
                Int(try result.decode(as: HCI.LEReadNumberOfSupportedAdvertisingSets.self).count)
        }
    }
}
