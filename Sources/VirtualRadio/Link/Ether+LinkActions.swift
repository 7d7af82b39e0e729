// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes

extension Ether {
    /// Performs the actions of an end's control procedures, in order.
    mutating func perform(
        _ actions: [LinkProcedures.Action],
        _ side: LinkSide,
        _ link: inout RadioLink
    ) {
        for action in actions {
            guard let radio = link[side]?.radio else { return }
            switch action {
            case .emit(let event): emit(event, to: radio)
            case .end(let reason): finish(side, reason, &link)
            case .endAfterAcknowledging(let reason): link[side]?.termination = reason
            case .setParameters(let parameters, let offset):
                link.setParameters(parameters, windowOffset: offset, side)
            case .setPHYs(let sending, let receiving):
                link[side]?.settings.sending = sending
                link[side]?.settings.receiving = receiving
            case .setChannels(let channels):
                link[side]?.settings.channelMap = ChannelMap(rawValue: channels)
            case .setDataLength(let length): link[side]?.dataLength = length
            case .setEncryption(let sending, let receiving, let key):
                link[side]?.setEncryption(sending: sending, receiving: receiving, key: key)
            }
        }
    }
}

extension RadioLink {
    /// Sets the connection parameters of the end from the current event on. If the end is the
    /// central, the anchor moves as well.
    fileprivate mutating func setParameters(
        _ parameters: LinkParameters,
        windowOffset: Duration,
        _ side: LinkSide
    ) {
        self[side]?.settings.parameters = parameters
        self[side]?.settings.shift += windowOffset
        if side == .central { anchor = anchor + windowOffset }
    }
}

extension LinkEnd {
    fileprivate func setEncryption(sending: Bool?, receiving: Bool?, key: [UInt8]?) {
        if let sending { sendingKey = sending ? key : nil }
        if let receiving { receivingKey = receiving ? key : nil }
    }
}
