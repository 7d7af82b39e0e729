// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

/// The commands for settings that no other part of the controller stores: the random address, and
/// the defaults of new links.
package enum SettingsCommands {
    static let handlers: [CommandHandler] = [
        .completing(HCI.LESetRandomAddress.self) {
            (controller, command, _) throws(HCI.ErrorCode) -> Void in
            try controller.setRandomAddress(command.address)
        },
        .completing(HCI.LEReadSuggestedDefaultDataLength.self) {
            (controller, _, _) throws(HCI.ErrorCode) in
            .init(
                transmitBytes: controller.settings.suggestedBytes,
                transmitTime: HCI.AirTime(rawValue: controller.settings.suggestedTime)
            )
        },
        .completing(HCI.LEWriteSuggestedDefaultDataLength.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            guard dataLengths.contains(command.transmitBytes),
                dataTimes.contains(command.transmitTime.rawValue)
            else { throw .invalidCommandParameters }
            controller.settings.suggestedBytes = command.transmitBytes
            controller.settings.suggestedTime = command.transmitTime.rawValue
            controller.updateLinkCapabilities(&ether)
        },
        .completing(HCI.LESetDefaultPHY.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            let offered = controller.configuration.phys
            let transmit = try preferred(command.preference.transmit, offered: offered)
            let receive = try preferred(command.preference.receive, offered: offered)
            controller.settings.preferredTransmitPHYs = transmit
            controller.settings.preferredReceivePHYs = receive
            controller.updateLinkCapabilities(&ether)
        },
        .completing(HCI.LESetHostChannelClassification.self) {
            (controller, command, ether) throws(HCI.ErrorCode) -> Void in
            guard command.channels.rawValue != 0 else { throw .invalidCommandParameters }
            controller.settings.channelMap = command.channels.rawValue
            ether.setChannels(command.channels.rawValue, ofLinksOf: controller.radio)
        },
    ]

    /// The valid payload lengths of data PDUs, in bytes (Vol 4, Part E, 7.8.35).
    static let dataLengths: ClosedRange<UInt16> = 27...251
    /// The valid air times of data PDUs, in microseconds (Vol 4, Part E, 7.8.35).
    static let dataTimes: ClosedRange<UInt16> = 328...17_040

    /// Returns the PHYs of a preference; `nil` without a preference (Vol 4, Part E, 7.8.48).
    ///
    /// - Throws: `invalidCommandParameters` for an empty set, `unsupportedFeatureOrParameterValue`
    ///   for a PHY that the controller does not have.
    private static func preferred(
        _ phys: HCI.PHYSet?,
        offered: HCI.PHYSet
    ) throws(HCI.ErrorCode) -> Set<PHY>? {
        guard let phys else { return nil }
        guard !phys.isEmpty else { throw .invalidCommandParameters }
        guard phys.isSubset(of: offered) else { throw .unsupportedFeatureOrParameterValue }
        let pairs: [(HCI.PHYSet, PHY)] = [(.le1M, .le1M), (.le2M, .le2M), (.coded, .leCoded)]
        return Set(pairs.filter { phys.contains($0.0) }.map(\.1))
    }
}

extension VirtualController {
    /// Sets the random address, which must not change while the controller scans, initiates, or
    /// advertises with the legacy commands. Sets of extended advertising have their own addresses
    /// (Vol 4, Part E, 7.8.4).
    fileprivate mutating func setRandomAddress(
        _ address: HCI.BareAddress
    ) throws(HCI.ErrorCode) {
        let advertises = advertiser.isAdvertising && settings.commandFamily == .legacy
        guard !advertises, !scanner.isEnabled, !initiator.isActive else {
            throw .commandDisallowed
        }
        guard address.value != 0 else { throw .invalidCommandParameters }
        settings.randomAddress = address.deviceAddress(.random)
    }
}

extension VirtualController {
    /// Makes the current settings the capabilities of new links.
    func updateLinkCapabilities(_ ether: inout Ether) {
        ether.setLinkCapabilities(LinkCapabilities(configuration, settings), of: radio)
    }
}

extension Ether {
    /// Limits the links on which the controller is the central to these channels from now on. A link
    /// needs two channels, so with fewer, its links use all channels.
    fileprivate mutating func setChannels(_ channels: UInt64, ofLinksOf radio: RadioID) {
        let channels = ChannelMap(rawValue: channels).rawValue
        for handle in links.resources[radio.index].handlesAsCentral {
            // A link that is ending refuses the request, and does not need it.
            try? request(.setChannels(channels), of: radio, handle)
        }
    }
}
