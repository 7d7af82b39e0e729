// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// The state of a link in a capture. It determines the senders of the packets, drops
/// retransmissions, and decrypts.
struct FollowedLink {
    /// The contents of a packet.
    enum Content {
        /// An L2CAP fragment.
        case data([UInt8], isFirst: Bool, isFromCentral: Bool)
        /// A Link Layer control PDU.
        case control([UInt8], isFromCentral: Bool)
        /// An encrypted packet that cannot be decrypted.
        case unreadable(String, isFromCentral: Bool)
    }

    /// The longest time from the start of a central's packet to the start of the response, in
    /// microseconds: the longest packet and the inter-frame space.
    private static let answerLimit: Int64 = 17_200

    /// The maximum number of packets that are tried with every key. If no key fits any of them, the
    /// link counts as unreadable.
    private static let trialLimit = 8

    let handle: ConnectionHandle
    let beginning: LinkBeginning

    private var offer: LinkEncryptionRequest?
    /// The possible sessions: one for each key, until the first packet that decrypts.
    private var sessions: [LinkSession] = []
    private var isEncrypted = false
    private var hasChosen = false
    private var trialCount = 0
    private var latest: (isFromCentral: Bool, microseconds: Int64)?
    private var previous: [Bool: (sequenceNumber: Bool, payload: ArraySlice<UInt8>)] = [:]

    init(handle: ConnectionHandle, beginning: LinkBeginning) {
        self.handle = handle
        self.beginning = beginning
    }

    /// Returns the contents of a packet; `nil` for an empty packet or a retransmission. Until a key
    /// fits, only the first packet that cannot be decrypted is returned.
    mutating func receive(_ packet: AirPacket, _ keys: [ExportedKey]) -> Content? {
        let isFromCentral = packet.isFromCentral ?? guessSender(of: packet)
        latest = (isFromCentral, packet.microseconds)
        let before = previous.updateValue(
            (packet.sequenceNumber, packet.payload),
            forKey: isFromCentral
        )
        if let before, before.sequenceNumber == packet.sequenceNumber,
            before.payload.elementsEqual(packet.payload)
        {
            return nil
        }
        guard !packet.payload.isEmpty else { return nil }
        guard let bytes = read(packet, isFromCentral) else {
            return unreadable(packet, isFromCentral, keyCount: keys.count)
        }
        guard packet.logicalLinkIdentifier == 3 else {
            let isFirst = packet.logicalLinkIdentifier == 2
            return .data(bytes, isFirst: isFirst, isFromCentral: isFromCentral)
        }
        note(bytes, keys)
        return .control(bytes, isFromCentral: isFromCentral)
    }

    /// Guesses the sender: the two devices alternate, and the central begins after each pause.
    private func guessSender(of packet: AirPacket) -> Bool {
        guard let latest, packet.microseconds - latest.microseconds < Self.answerLimit else {
            return true
        }
        return !latest.isFromCentral
    }

    /// Reads a payload: decrypted if it fits a session, unchanged if the link is not encrypted.
    private mutating func read(_ packet: AirPacket, _ isFromCentral: Bool) -> [UInt8]? {
        for place in sessions.indices {
            guard let bytes = sessions[place].open(packet, isFromCentral: isFromCentral) else {
                continue
            }
            sessions = [sessions[place]]
            hasChosen = true
            isEncrypted = true
            return bytes
        }
        return isEncrypted ? nil : Array(packet.payload)
    }

    private mutating func unreadable(
        _ packet: AirPacket,
        _ isFromCentral: Bool,
        keyCount: Int
    ) -> Content? {
        guard !hasChosen else {
            return .unreadable(
                "does not fit the session, \(packet.payload.hexadecimal)",
                isFromCentral: isFromCentral
            )
        }
        trialCount += 1
        if trialCount >= Self.trialLimit { sessions = [] }
        guard trialCount == 1 else { return nil }
        return .unreadable(
            "encrypted from here on, and no key fits (keys: \(keyCount))",
            isFromCentral: isFromCentral
        )
    }

    /// Follows the encryption procedure (Vol 6, Part B, 5.1.3).
    private mutating func note(_ bytes: [UInt8], _ keys: [ExportedKey]) {
        switch bytes.first {
        case LinkControl.encryptionRequest: offer = LinkEncryptionRequest(bytes.dropFirst())
        case LinkControl.encryptionResponse:
            guard let offer else { return }
            sessions = ordered(keys, offer).compactMap {
                LinkSession($0, offer, bytes.dropFirst())
            }
            (hasChosen, trialCount) = (false, 0)
        case LinkControl.startEncryptionRequest: isEncrypted = true
        case LinkControl.pauseEncryptionResponse: (isEncrypted, sessions) = (false, [])
        default: break
        }
    }

    /// Returns the keys in the order of trial: first those for the addresses, EDIV and Rand of this
    /// link, then all others, because addresses change.
    private func ordered(_ keys: [ExportedKey], _ offer: LinkEncryptionRequest) -> [ExportedKey] {
        let likely = keys.filter {
            $0.central == beginning.central && $0.peripheral == beginning.peripheral
                && $0.diversifier == offer.diversifier && $0.random == offer.random
        }
        return likely + keys.filter { !likely.contains($0) }
    }
}
