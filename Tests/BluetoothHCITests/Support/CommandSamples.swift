// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

/// A command and its H4 packet, which was checked with two other implementations.
struct CommandSample: Sendable, CustomTestStringConvertible {
    let command: any HCICommand
    let h4: String

    init(_ command: some HCICommand, _ h4: String) {
        self.command = command
        self.h4 = h4
    }

    var testDescription: String { "\(type(of: command))" }
}

/// Returns the value of a sample, which must be valid.
func required<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("A sample is invalid") }
    return value
}

enum Sample {
    static let link = ConnectionHandle(rawValue: 0x0040)
    static let peer = HCI.PeerAddress(type: .random, value: 0xC4F0_0000_0001)
    static let bare = HCI.BareAddress(value: 0xC4F0_0000_0001)
    static let key = required(HCI.Key128(1...16))
    static let block = required(HCI.Block128(17...32))
    static let publicKey = HCI.P256PublicKey(
        x: required(HCI.Coordinate256(1...32)),
        y: required(HCI.Coordinate256(33...64))
    )
    static let timing = HCI.ConnectionParameters(
        intervalMinimum: .init(rawValue: 24),
        intervalMaximum: .init(rawValue: 40),
        peripheralLatency: 4,
        supervisionTimeout: .init(rawValue: 420),
        eventLengthMinimum: .init(rawValue: 1),
        eventLengthMaximum: .init(rawValue: 2)
    )
    static let scan = HCI.PHYScanParameters(
        type: .active,
        interval: .init(rawValue: 0x60),
        window: .init(rawValue: 0x30)
    )
    static let initiating = HCI.PHYInitiatingParameters(
        scanInterval: .init(rawValue: 0x60),
        scanWindow: .init(rawValue: 0x30),
        parameters: timing
    )
}

extension CommandSample {
    static let all = link + controller + scanning + advertising + security

    static let link: [CommandSample] = [
        .init(HCI.Disconnect(connectionHandle: Sample.link), "01060403400013"),
        .init(HCI.ReadRemoteVersionInformation(connectionHandle: Sample.link), "011d04024000"),
        .init(
            HCI.ReadTransmitPowerLevel(connectionHandle: Sample.link, kind: .maximum),
            "012d0c03400001"
        ),
        .init(HCI.ReadAuthenticatedPayloadTimeout(connectionHandle: Sample.link), "017b0c024000"),
        .init(
            HCI.WriteAuthenticatedPayloadTimeout(
                connectionHandle: Sample.link,
                timeout: .init(.seconds(30))
            ),
            "017c0c044000b80b"
        ),
        .init(HCI.ReadRSSI(connectionHandle: Sample.link), "010514024000"),
        .init(
            HCI.LEConnectionUpdate(connectionHandle: Sample.link, parameters: Sample.timing),
            "0113200e4000180028000400a40101000200"
        ),
        .init(HCI.LEReadChannelMap(connectionHandle: Sample.link), "011520024000"),
        .init(HCI.LEReadRemoteFeatures(connectionHandle: Sample.link), "011620024000"),
        .init(
            HCI.LERemoteConnectionParameterRequestReply(
                connectionHandle: Sample.link,
                parameters: Sample.timing
            ),
            "0120200e4000180028000400a40101000200"
        ),
        .init(
            HCI.LERemoteConnectionParameterRequestNegativeReply(
                connectionHandle: Sample.link,
                reason: .unacceptableConnectionParameters
            ),
            "0121200340003b"
        ),
        .init(
            HCI.LESetDataLength(
                connectionHandle: Sample.link,
                transmitBytes: 251,
                transmitTime: .init(rawValue: 2120)
            ),
            "012220064000fb004808"
        ),
        .init(HCI.LEReadPHY(connectionHandle: Sample.link), "013020024000"),
        .init(
            HCI.LESetPHY(
                connectionHandle: Sample.link,
                preference: .init(transmit: .le2M, receive: nil),
                coding: .far
            ),
            "0132200740000202000200"
        ),
    ]

    static let controller: [CommandSample] = [
        .init(
            HCI.SetEventMask(mask: [.disconnectionComplete, .leMeta]),
            "01010c081000000000000020"
        ),
        .init(HCI.Reset(), "01030c00"),
        .init(HCI.SetControllerToHostFlowControl(mode: .acl), "01310c0101"),
        .init(
            HCI.HostBufferSize(aclPacketLength: 251, aclPacketCount: 20),
            "01330c07fb000014000000"
        ),
        .init(
            HCI.HostNumberOfCompletedPackets(completed: [
                .init(connectionHandle: Sample.link, count: 3)
            ]),
            "01350c050140000300"
        ),
        .init(
            HCI.SetEventMaskPage2(mask: .authenticatedPayloadTimeoutExpired),
            "01630c080000800000000000"
        ),
        .init(HCI.WriteLEHostSupport(), "016d0c020100"),
        .init(HCI.ReadLocalVersionInformation(), "01011000"),
        .init(HCI.ReadLocalSupportedCommands(), "01021000"),
        .init(HCI.ReadLocalSupportedFeatures(), "01031000"),
        .init(HCI.ReadBufferSize(), "01051000"),
        .init(HCI.ReadBDAddress(), "01091000"),
        .init(
            HCI.LESetEventMask(mask: [.connectionComplete, .extendedAdvertisingReport]),
            "010120080110000000000000"
        ),
        .init(HCI.LEReadBufferSize(), "01022000"),
        .init(HCI.LEReadBufferSizeV2(), "01602000"),
        .init(HCI.LEReadLocalSupportedFeatures(), "01032000"),
        .init(HCI.LESetRandomAddress(address: Sample.bare), "0105200601000000f0c4"),
        .init(HCI.LEReadSupportedStates(), "011c2000"),
        .init(HCI.LERand(), "01182000"),
        .init(HCI.LEReadTransmitPower(), "014b2000"),
        .init(HCI.LESetHostChannelClassification(channels: .all), "01142005ffffffff1f"),
        .init(HCI.LEReadSuggestedDefaultDataLength(), "01232000"),
        .init(
            HCI.LEWriteSuggestedDefaultDataLength(
                transmitBytes: 251,
                transmitTime: .init(rawValue: 17040)
            ),
            "01242004fb009042"
        ),
        .init(HCI.LEReadMaximumDataLength(), "012f2000"),
        .init(
            HCI.LESetDefaultPHY(preference: .init(transmit: [.le1M, .le2M], receive: .coded)),
            "01312003000304"
        ),
    ]

    static let scanning: [CommandSample] = [
        .init(
            HCI.LESetScanParameters(
                type: .active,
                interval: .init(rawValue: 0x60),
                window: .init(rawValue: 0x30),
                ownAddressType: .random
            ),
            "010b200701600030000100"
        ),
        .init(HCI.LESetScanEnable(isEnabled: true, filtersDuplicates: false), "010c20020100"),
        .init(
            HCI.LESetExtendedScanParameters(
                ownAddressType: .random,
                filterPolicy: .filterAcceptList,
                phys: .init(le1M: Sample.scan, coded: Sample.scan)
            ),
            "0141200d01010501600030000160003000"
        ),
        .init(
            HCI.LESetExtendedScanEnable(
                isEnabled: true,
                duplicates: .on,
                duration: .init(rawValue: 500),
                period: .init(rawValue: 8)
            ),
            "014220060101f4010800"
        ),
        .init(
            HCI.LECreateConnection(
                scanInterval: .init(rawValue: 0x60),
                scanWindow: .init(rawValue: 0x30),
                filterPolicy: .peerAddress,
                peerAddress: Sample.peer,
                ownAddressType: .random,
                parameters: Sample.timing
            ),
            "010d201960003000000101000000f0c401180028000400a40101000200"
        ),
        .init(HCI.LECreateConnectionCancel(), "010e2000"),
        .init(
            HCI.LEExtendedCreateConnection(
                filterPolicy: .peerAddress,
                ownAddressType: .random,
                peerAddress: Sample.peer,
                phys: .init(le1M: Sample.initiating, le2M: Sample.initiating)
            ),
            "0143202a00010101000000f0c40360003000180028000400a40101000200600030001800"
                + "28000400a40101000200"
        ),
        .init(HCI.LEReadFilterAcceptListSize(), "010f2000"),
        .init(HCI.LEClearFilterAcceptList(), "01102000"),
        .init(HCI.LEAddDeviceToFilterAcceptList(address: Sample.peer), "011120070101000000f0c4"),
        .init(
            HCI.LERemoveDeviceFromFilterAcceptList(address: Sample.peer),
            "011220070101000000f0c4"
        ),
    ]

    static let advertising: [CommandSample] = [
        .init(
            HCI.LESetAdvertisingParameters(
                intervalMinimum: .init(rawValue: 0x20),
                intervalMaximum: .init(rawValue: 0x40),
                type: .scannable,
                ownAddressType: .random
            ),
            "0106200f200040000201000000000000000700"
        ),
        .init(HCI.LEReadAdvertisingPhysicalChannelTxPower(), "01072000"),
        .init(
            HCI.LESetAdvertisingData(data: required(.init([2, 1, 6]))),
            "010820200302010600000000000000000000000000000000000000000000000000000000"
        ),
        .init(
            HCI.LESetScanResponseData(data: required(.init([3, 9, 0x4C, 0x79]))),
            "010920200403094c79000000000000000000000000000000000000000000000000000000"
        ),
        .init(HCI.LESetAdvertisingEnable(isEnabled: true), "010a200101"),
        .init(
            HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 1, address: Sample.bare),
            "013520070101000000f0c4"
        ),
        .init(
            HCI.LESetExtendedAdvertisingParameters(
                advertisingHandle: 1,
                properties: [.connectable, .includesTransmitPower],
                intervalMinimum: .init(rawValue: 0x10020),
                intervalMaximum: .init(rawValue: 0x10040),
                ownAddressType: .random,
                secondaryMaximumSkip: 2,
                secondaryPHY: .le2M,
                setIdentifier: 5,
                reportsScanRequests: true
            ),
            "01362019014100200001400001070100000000000000007f0102020501"
        ),
        .init(
            HCI.LESetExtendedAdvertisingData(advertisingHandle: 1, data: [2, 1, 6]),
            "0137200701030103020106"
        ),
        .init(
            HCI.LESetExtendedScanResponseData(
                advertisingHandle: 1,
                operation: .first,
                fragmentPreference: .mayFragment,
                data: [3, 9, 0x4C, 0x79]
            ),
            "013820080101000403094c79"
        ),
        .init(
            HCI.LESetExtendedAdvertisingEnable(
                isEnabled: true,
                sets: [.init(advertisingHandle: 1, duration: .init(rawValue: 100), eventLimit: 3)]
            ),
            "01392006010101640003"
        ),
        .init(HCI.LEReadMaximumAdvertisingDataLength(), "013a2000"),
        .init(HCI.LEReadNumberOfSupportedAdvertisingSets(), "013b2000"),
        .init(HCI.LERemoveAdvertisingSet(advertisingHandle: 1), "013c200101"),
        .init(HCI.LEClearAdvertisingSets(), "013d2000"),
    ]

    static let security: [CommandSample] = [
        .init(
            HCI.LEEncrypt(key: Sample.key, plaintext: Sample.block),
            "011720200102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
        ),
        .init(
            HCI.LEEnableEncryption(
                connectionHandle: Sample.link,
                random: 0x0807_0605_0403_0201,
                encryptedDiversifier: 0x1234,
                longTermKey: Sample.key
            ),
            "0119201c4000010203040506070834120102030405060708090a0b0c0d0e0f10"
        ),
        .init(
            HCI.LELongTermKeyRequestReply(connectionHandle: Sample.link, longTermKey: Sample.key),
            "011a201240000102030405060708090a0b0c0d0e0f10"
        ),
        .init(HCI.LELongTermKeyRequestNegativeReply(connectionHandle: Sample.link), "011b20024000"),
        .init(HCI.LEReadLocalP256PublicKey(), "01252000"),
        .init(
            HCI.LEGenerateDHKey(publicKey: Sample.publicKey),
            "012620400102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
                + "2122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40"
        ),
        .init(
            HCI.LEGenerateDHKeyV2(publicKey: Sample.publicKey, pair: .debug),
            "015e20410102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"
                + "2122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f4001"
        ),
        .init(
            HCI.LEAddDeviceToResolvingList(
                peerIdentity: Sample.peer,
                peerKey: Sample.key,
                localKey: Sample.key
            ),
            "012720270101000000f0c40102030405060708090a0b0c0d0e0f10010203040506070809"
                + "0a0b0c0d0e0f10"
        ),
        .init(
            HCI.LERemoveDeviceFromResolvingList(peerIdentity: Sample.peer),
            "012820070101000000f0c4"
        ),
        .init(HCI.LEClearResolvingList(), "01292000"),
        .init(HCI.LEReadResolvingListSize(), "012a2000"),
        .init(HCI.LEReadPeerResolvableAddress(peerIdentity: Sample.peer), "012b20070101000000f0c4"),
        .init(
            HCI.LEReadLocalResolvableAddress(peerIdentity: Sample.peer),
            "012c20070101000000f0c4"
        ),
        .init(HCI.LESetAddressResolutionEnable(isEnabled: true), "012d200101"),
        .init(
            HCI.LESetResolvablePrivateAddressTimeout(timeout: .init(.seconds(900))),
            "012e20028403"
        ),
        .init(
            HCI.LESetPrivacyMode(peerIdentity: Sample.peer, mode: .device),
            "014e20080101000000f0c401"
        ),
    ]
}
