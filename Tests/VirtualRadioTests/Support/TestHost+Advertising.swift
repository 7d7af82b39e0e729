// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import VirtualRadio

extension TestHost {
    /// An address that no device has. It is the default target of directed advertising.
    static let unknownPeer = DeviceAddress(value: 0x0000_5E00_0001, kind: .public)

    /// Unmasks every event, as hosts that support all events do.
    func unmaskEverything() throws {
        try status(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
        try status(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: .max)))
    }

    /// Returns the command with the legacy parameters, with default values for tests.
    static func parameters(
        _ type: HCI.AdvertisingType = .connectableUndirected,
        interval: UInt16 = 160,
        own: HCI.OwnAddressType = .public,
        peer: DeviceAddress = unknownPeer,
        channels: HCI.AdvertisingChannels = .all,
        policy: HCI.AdvertisingFilterPolicy = .unfiltered
    ) -> HCI.LESetAdvertisingParameters {
        HCI.LESetAdvertisingParameters(
            intervalMinimum: HCI.ScanInterval(rawValue: interval),
            intervalMaximum: HCI.ScanInterval(rawValue: interval),
            type: type,
            ownAddressType: own,
            peerAddress: HCI.PeerAddress(peer),
            channels: channels,
            filterPolicy: policy
        )
    }

    /// Starts advertising with the legacy commands.
    func advertise(
        _ type: HCI.AdvertisingType = .connectableUndirected,
        interval: UInt16 = 160,
        own: HCI.OwnAddressType = .public,
        peer: DeviceAddress = unknownPeer,
        channels: HCI.AdvertisingChannels = .all,
        policy: HCI.AdvertisingFilterPolicy = .unfiltered,
        data: [UInt8] = [2, 1, 6],
        response: [UInt8] = []
    ) throws {
        try perform(
            Self.parameters(
                type,
                interval: interval,
                own: own,
                peer: peer,
                channels: channels,
                policy: policy
            )
        )
        if let data = HCI.LegacyAdvertisingData(data) {
            try perform(HCI.LESetAdvertisingData(data: data))
        }
        if let data = HCI.LegacyAdvertisingData(response) {
            try perform(HCI.LESetScanResponseData(data: data))
        }
        try perform(HCI.LESetAdvertisingEnable(isEnabled: true))
    }

    /// Sets empty advertising data and scan response data. Does not enable advertising.
    func clearAdvertisingData() throws {
        guard let nothing = HCI.LegacyAdvertisingData([]) else { return }
        try perform(HCI.LESetAdvertisingData(data: nothing))
        try perform(HCI.LESetScanResponseData(data: nothing))
    }
}
