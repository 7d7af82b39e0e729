// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes
import Testing

/// What a `ModelController` is: what it lists, and what it has room for.
struct ModelProfile: Sendable, CustomTestStringConvertible {
    /// Which command tells how many ACL packets there is room for.
    enum Buffers: Sendable {
        case v1, v2
        /// LE Read Buffer Size answers zero: the classic buffers are used for everything.
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
    /// How many links there can be.
    var linkLimit = 8
    /// How many commands the host may send before it has the first answer.
    var commandCount = 1

    /// A controller of version 5.4 that can do everything a Central has a use for.
    static let rich = ModelProfile(
        name: "rich",
        commands: Set(poorCommands + richCommands),
        leFeatures: [.dataPacketLengthExtension, .le2M, .coded, .extendedAdvertising, .privacy],
        states: [.activeScanningAndInitiating, .passiveScanningAndInitiating]
    )

    /// One that takes a resolving list, too, and recognises nobody by it: there are such.
    static let pretending: ModelProfile = {
        var profile = rich
        profile.commands.formUnion([
            .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList,
            .leSetPrivacyMode,
        ])
        return profile
    }()

    /// A controller of version 4.0 with what was mandatory then, and one small buffer.
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

    /// A controller of version 4.0 whose classic and Low Energy links share their buffers.
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
