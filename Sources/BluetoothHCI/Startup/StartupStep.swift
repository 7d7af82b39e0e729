// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes

/// The commands of startup, in the order in which they are sent.
enum StartupStep: CaseIterable, Sendable {
    case reset
    case version
    case commands
    case features
    case leFeatures
    // Startup uses the first of these three commands that reports buffers.
    case buffersV2
    case buffers
    case sharedBuffers
    case publicAddress
    case eventMask
    case eventMaskPage2
    case leHostSupport
    case leEventMask
    case states
    case randomAddress
    case filterAcceptListSize
    case resolvingListSize
    case maximumDataLength
    case defaultDataLength
    case maximumAdvertisingDataLength
    case advertisingSetCount

    /// Whether startup fails if this command fails.
    var isRequired: Bool {
        switch self {
        case .reset, .version, .commands: true
        default: false
        }
    }
}

extension StartupStep {
    var opcode: HCI.Opcode {
        switch self {
        case .reset: .reset
        case .version: .readLocalVersionInformation
        case .commands: .readLocalSupportedCommands
        case .features: .readLocalSupportedFeatures
        case .leFeatures: .leReadLocalSupportedFeatures
        case .buffersV2: .leReadBufferSizeV2
        case .buffers: .leReadBufferSize
        case .sharedBuffers: .readBufferSize
        case .publicAddress: .readBDAddress
        case .eventMask: .setEventMask
        case .eventMaskPage2: .setEventMaskPage2
        case .leHostSupport: .writeLEHostSupport
        case .leEventMask: .leSetEventMask
        case .states: .leReadSupportedStates
        case .randomAddress: .leSetRandomAddress
        case .filterAcceptListSize: .leReadFilterAcceptListSize
        case .resolvingListSize: .leReadResolvingListSize
        case .maximumDataLength: .leReadMaximumDataLength
        case .defaultDataLength: .leWriteSuggestedDefaultDataLength
        case .maximumAdvertisingDataLength: .leReadMaximumAdvertisingDataLength
        case .advertisingSetCount: .leReadNumberOfSupportedAdvertisingSets
        }
    }

    /// Returns whether startup takes this step.
    ///
    /// A step is needed if it is required, or if the controller supports its command and the step's
    /// own condition applies.
    func isNeeded(
        for capabilities: ControllerCapabilities,
        randomAddress: DeviceAddress?
    ) -> Bool {
        guard isRequired || capabilities.commands.contains(opcode) else { return false }
        return switch self {
        case .buffers, .sharedBuffers:
            capabilities.aclPacketLength == 0 || capabilities.aclPacketCount == 0
        case .randomAddress: randomAddress != nil
        case .defaultDataLength: capabilities.maximumDataLength != nil
        case .maximumAdvertisingDataLength, .advertisingSetCount:
            // These are extended commands. After the first of them, the controller refuses all
            // legacy commands for advertising, scanning and initiating.
            capabilities.supportsExtendedAdvertising && capabilities.usesExtendedCommands
        default: true
        }
    }

    func command(
        for capabilities: ControllerCapabilities,
        randomAddress: DeviceAddress?
    ) -> HCI.EncodedCommand {
        switch self {
        case .reset: .init(HCI.Reset())
        case .version: .init(HCI.ReadLocalVersionInformation())
        case .commands: .init(HCI.ReadLocalSupportedCommands())
        case .features: .init(HCI.ReadLocalSupportedFeatures())
        case .leFeatures: .init(HCI.LEReadLocalSupportedFeatures())
        case .buffersV2: .init(HCI.LEReadBufferSizeV2())
        case .buffers: .init(HCI.LEReadBufferSize())
        case .sharedBuffers: .init(HCI.ReadBufferSize())
        case .publicAddress: .init(HCI.ReadBDAddress())
        case .eventMask: .init(HCI.SetEventMask(mask: capabilities.eventMask))
        case .eventMaskPage2: .init(HCI.SetEventMaskPage2(mask: capabilities.eventMaskPage2))
        case .leHostSupport: .init(HCI.WriteLEHostSupport())
        case .leEventMask: .init(HCI.LESetEventMask(mask: capabilities.leEventMask))
        case .states: .init(HCI.LEReadSupportedStates())
        case .randomAddress:
            .init(HCI.LESetRandomAddress(address: .init(value: randomAddress?.value ?? 0)))
        case .filterAcceptListSize: .init(HCI.LEReadFilterAcceptListSize())
        case .resolvingListSize: .init(HCI.LEReadResolvingListSize())
        case .maximumDataLength: .init(HCI.LEReadMaximumDataLength())
        case .defaultDataLength: .init(capabilities.longestDefaultDataLength)
        case .maximumAdvertisingDataLength: .init(HCI.LEReadMaximumAdvertisingDataLength())
        case .advertisingSetCount: .init(HCI.LEReadNumberOfSupportedAdvertisingSets())
        }
    }
}
