// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

/// The configuration of a `ModelController`: its supported commands and its capacities.
struct ModelProfile: Sendable, CustomTestStringConvertible {
    /// The command that reports the number of ACL buffers.
    enum Buffers: Sendable {
        case v1, v2
        /// LE Read Buffer Size returns zero: the BR/EDR buffers are used for all links.
        case shared
    }

    let name: String
    var version = HCI.Version.core5_4
    var commands: Set<HCI.Opcode>
    var leFeatures: HCI.LEFeatures
    var states: HCI.LESupportedStates
    var buffers = Buffers.v2
    var aclPacketLength = 251
    var aclPacketCount = 8
    var acceptListSize = 8
    var advertisingSetCount = 4
    /// The maximum number of links.
    var linkLimit = 8
    /// The number of commands that the host may send before the first response.
    var commandCount = 1

    /// A controller of version 5.4 with most features that the host uses, but no resolving list.
    static let rich = ModelProfile(
        name: "rich",
        commands: Set(poorCommands + richCommands),
        leFeatures: [.dataPacketLengthExtension, .le2M, .coded, .extendedAdvertising, .privacy],
        states: [.activeScanningAndInitiating, .passiveScanningAndInitiating]
    )

    /// A controller like `rich` that also accepts a resolving list, but does not resolve addresses
    /// with it, as some real controllers do.
    static let pretending: ModelProfile = {
        var profile = rich
        profile.commands.formUnion([
            .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
            .leSetPrivacyMode,
        ])
        return profile
    }()

    /// A controller of version 4.0 with the features that are mandatory in that version, and with
    /// a single small buffer.
    static let poor = ModelProfile(
        name: "poor",
        version: .core4_0,
        commands: Set(poorCommands),
        leFeatures: [],
        states: [],
        buffers: .v1,
        aclPacketLength: 27,
        aclPacketCount: 1,
        acceptListSize: 1
    )

    /// A controller of version 4.0 whose BR/EDR and LE links share their buffers.
    static let shared: ModelProfile = {
        var profile = poor
        profile.buffers = .shared
        profile.commands.insert(.readBufferSize)
        profile.aclPacketLength = 1021
        profile.aclPacketCount = 4
        return profile
    }()

    var testDescription: String { "\(name), \(buffers)" }

    private static let poorCommands: [HCI.Opcode] = [
        .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .setEventMask,
        .readBDAddress, .leSetEventMask, .leReadBufferSize, .leReadLocalSupportedFeatures,
        .leSetRandomAddress, .leSetScanParameters, .leSetScanEnable, .leCreateConnection,
        .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
        .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList, .leConnectionUpdate,
        .leReadSupportedStates, .disconnect, .readRemoteVersionInformation,
        .leLongTermKeyRequestNegativeReply, .leSetAdvertisingParameters, .leSetAdvertisingData,
        .leSetScanResponseData, .leSetAdvertisingEnable, .leReadAdvertisingPhysicalChannelTxPower,
    ]

    private static let richCommands: [HCI.Opcode] = [
        .readLocalSupportedFeatures, .leReadBufferSizeV2, .setEventMaskPage2, .writeLEHostSupport,
        .leReadResolvingListSize, .leReadMaximumDataLength, .leWriteSuggestedDefaultDataLength,
        .leSetDataLength, .leReadPHY, .leSetPHY, .readRSSI, .leSetExtendedScanParameters,
        .leSetExtendedScanEnable, .leExtendedCreateConnection,
        .leRemoteConnectionParameterRequestReply,
        .leRemoteConnectionParameterRequestNegativeReply, .leSetAddressResolutionEnable,
        .leEnableEncryption, .leLongTermKeyRequestReply,
        .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress,
        .leSetExtendedAdvertisingData, .leSetExtendedScanResponseData,
        .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet,
    ]
}
