// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports

/// Names one link for as long as the host lives; connection handles are used again, these are not.
package struct LinkIdentifier: Hashable, Sendable {
    package let rawValue: UInt64
}

/// Names one thing that an application asked for and waits for.
package struct RequestIdentifier: Hashable, Sendable {
    package let rawValue: UInt64
}

/// What pairings have to do with the person in front of the device.
package enum PairingNews: Sendable {
    /// To be answered by `answer`, unless it is something to show. One question at a time.
    case asked(Pairing.Question, Pairing.Method, isIncoming: Bool)
    /// Somebody at the peer enters digits.
    case pressed(Pairing.Keypress)
    /// The peer has lost its bond, and the policy is to ask: to be answered by `answerBondLoss`.
    case bondLost(BondedPeer)
    /// Nobody waits for an answer any more, and what is shown is over.
    case withdrawn
}

/// What the core wants done; its driver does each, in order, before the next input.
package enum HostAction: Sendable {
    /// Write one H4 packet.
    case transmit([UInt8])
    /// Close the transport, if it is open, and open it again.
    case reopenTransport
    /// Close the transport.
    case closeTransport
    case stateChanged(AdapterState)
    /// A request is done; nothing more will be said of it.
    case completed(RequestIdentifier, Result<HostAnswer, any Error>)
    /// A scan found this.
    case advertised(scan: RequestIdentifier, Advertisement)
    /// The first news of a link: that there is one, to this address, and which end of it is ours.
    case linkOpened(LinkIdentifier, DeviceAddress, LinkRole)
    /// The first bearer of a link that was told of carries longer PDUs now.
    case mtuChanged(LinkIdentifier, Int)
    /// Somebody has connected to us.
    case incomingLink(LinkIdentifier, DeviceAddress)
    /// A set that was advertised, or was to be, is over.
    case advertisingEnded(RequestIdentifier, AdvertisingEnd)
    /// A peer sent a value.
    case notified(LinkIdentifier, AttributeHandle, ArraySlice<UInt8>)
    /// A peer says that its database changed within this range.
    case servicesChanged(LinkIdentifier, first: AttributeHandle, last: AttributeHandle)
    /// A client of the server on this link did something, or can be sent something.
    case served(LinkIdentifier, ServerNews)
    /// A pairing on this link needs somebody, or does not any more.
    case pairing(LinkIdentifier, PairingNews)
    /// A link is gone; everything that waited on it has been completed before.
    case disconnected(LinkIdentifier, HostError)
    /// Look up what the store has of the client on this link, and tell the core by `recalled`.
    case recall(LinkIdentifier, StoreKey)
    /// Look up what the store has of the table of this link's peer, and tell the core by
    /// `recalledDatabase`.
    case recallDatabase(LinkIdentifier, StoreKey)
    /// Keep this in the store.
    case save([UInt8], StoreKey)
    /// Take this out of the store.
    case remove(StoreKey)
    /// The store has something under this key that nobody can use: move it away.
    case setAside(StoreKey, reason: String)
    /// Tell who wants to know what becomes of bonds.
    case security(SecurityEvent)
    /// A link is about to be encrypted, and somebody wants to know with which key.
    case usesKey(LinkKey)
    /// Something worth a line in the log.
    case log(String)
}

/// What a completed request yields.
package enum HostAnswer: Sendable {
    case done
    case link(LinkIdentifier, DeviceAddress)
    case advertising(AdvertisingLayout)
    case gatt(GATT.Outcome)
    case database(GATT.Database)
    case security(LinkSecurity)
    case rssi(Int?)
    case parameters(ConnectionParameters)
    case phy(LinkPHY)
    case version(RemoteVersion)
    case channels([ChannelNumber])
    case sdu([UInt8]?)
    case end(L2CAPChannel.End)
}

/// What clients of the server do, and what becomes of what they are sent.
package enum ServerNews: Sendable {
    /// The link to this address can be served: the first news of any link.
    case connected(DeviceAddress)
    /// The application has to decide.
    case asked(GATTServer.RequestID, GATTServer.Question)
    /// Values were written that the server keeps.
    case written([GATT.WriteEntry])
    /// A client subscribed to a value, or, with nil, unsubscribed.
    case subscribed(AttributeHandle, GATT.SubscriptionKind?)
    /// There is room again for a notification, after there was none.
    case readyToNotify
}

extension HostAction {
    /// Whether this is the end of a request.
    func completes(_ request: RequestIdentifier) -> Bool {
        if case .completed(request, _) = self { true } else { false }
    }
}
