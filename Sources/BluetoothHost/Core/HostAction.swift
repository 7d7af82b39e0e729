// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes
import HCITransports

/// An event of a pairing that concerns a person.
package enum PairingEvent: Sendable {
    /// A question, which `answer` must answer unless the question only shows something. A link has
    /// one question at a time.
    case asked(Pairing.Question, Pairing.Method, isIncoming: Bool)
    /// The peer reports a keypress of its passkey entry.
    case pressed(Pairing.Keypress)
    /// The peer has lost its bond, and the policy is to ask. `answerBondLoss` must answer.
    case bondLost(BondedPeer)
    case withdrawn
    /// A pairing with the peer at this address has ended. The link may have ended as well.
    case ended(DeviceAddress, Result<LinkSecurity, any Error>)
}

/// An action that the core requests. The driver performs the actions in order, before the next
/// input.
package enum HostAction: Sendable {
    /// Write one H4 packet.
    case transmit([UInt8])
    /// Open the transport again. It has ended or could not be opened, or `closeTransport` has
    /// closed it.
    case reopenTransport
    case closeTransport
    case event(HostEvent)
    /// Complete a request. No further action follows for it.
    case completed(RequestIdentifier, Result<HostAnswer, any Error>)
    case pairing(LinkIdentifier, PairingEvent)
    /// Read the store's record of the client on this link, and answer with `recalled`.
    case recall(LinkIdentifier, StoreKey)
    /// Read the store's record of the database of this link's peer, and answer with
    /// `recalledDatabase`.
    case recallDatabase(LinkIdentifier, StoreKey)
    /// Write this entry to the store.
    case save([UInt8], StoreKey)
    /// Remove this entry from the store.
    case remove(StoreKey)
    /// Move an entry of the store aside, with `HostStore.setAside(_:because:)`, if there is one. If
    /// that fails, no entry may be written under its key (`HostCore.refusal(ofWriting:)`).
    case setAside(StoreKey, reason: String)
    /// Report the key with which a link is about to be encrypted.
    case usesKey(LinkKey)
    /// Write a line to the log.
    case log(String)
}

/// The result of a completed request.
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

/// An event of a client of the server.
package enum ClientEvent: Sendable {
    /// The application must decide.
    case asked(GATTServer.RequestID, GATTServer.Question)
    /// The client has written values that the server stores.
    case written([GATT.WriteEntry])
    /// The client has subscribed to a value or, with `nil`, unsubscribed.
    case subscribed(AttributeHandle, GATT.SubscriptionKind?)
    /// There is room for a notification again.
    case readyToNotify
}
