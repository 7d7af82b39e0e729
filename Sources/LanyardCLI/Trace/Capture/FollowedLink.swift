// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

/// A link of a capture: who has sent what, what is a repetition, and what encryption it is under.
struct FollowedLink {
    /// What a packet has turned out to be.
    enum Content {
        /// A fragment of L2CAP.
        case data([UInt8], isFirst: Bool, isFromCentral: Bool)
        /// A PDU of the Link Layer's own.
        case control([UInt8], isFromCentral: Bool)
        /// Encrypted, and not to be read.
        case unreadable(String, isFromCentral: Bool)
    }

    /// The longest pause between a packet of the Central and the answer to it, from start to start:
    /// the longest packet there is, and the space after it.
    private static let answerLimit: Int64 = 17_200

    /// How many packets are tried with every key before all are given up.
    private static let trialLimit = 8

    let handle: ConnectionHandle
    let beginning: LinkBeginning

    private var offer: SessionOffer?
    /// The sessions that may be meant: one for each key, until the first packet tells.
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

    /// What a packet says; nil for one that is empty, or has been there.
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
        guard let octets = read(packet, isFromCentral) else {
            return unreadable(packet, isFromCentral, keyCount: keys.count)
        }
        guard packet.logicalLinkIdentifier == 3 else {
            let isFirst = packet.logicalLinkIdentifier == 2
            return .data(octets, isFirst: isFirst, isFromCentral: isFromCentral)
        }
        note(octets, keys)
        return .control(octets, isFromCentral: isFromCentral)
    }

    /// The two ends take turns, and the Central begins after each pause.
    private func guessSender(of packet: AirPacket) -> Bool {
        guard let latest, packet.microseconds - latest.microseconds < Self.answerLimit else {
            return true
        }
        return !latest.isFromCentral
    }

    /// Reads a payload: decrypted, if it fits a session; as it is, if the link is not encrypted.
    private mutating func read(_ packet: AirPacket, _ isFromCentral: Bool) -> [UInt8]? {
        for place in sessions.indices {
            guard let octets = sessions[place].open(packet, isFromCentral: isFromCentral) else {
                continue
            }
            sessions = [sessions[place]]
            hasChosen = true
            isEncrypted = true
            return octets
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
            "encrypted from here on, and none of the \(keyCount) keys fits",
            isFromCentral: isFromCentral
        )
    }

    /// Follows the encryption procedure (Vol 6, Part B, 5.1.3).
    private mutating func note(_ octets: [UInt8], _ keys: [ExportedKey]) {
        switch octets.first {
        case LinkControl.encryptionRequest: offer = SessionOffer(octets.dropFirst())
        case LinkControl.encryptionResponse:
            guard let offer else { return }
            sessions = ordered(keys, offer).compactMap {
                LinkSession($0, offer, octets.dropFirst())
            }
            (hasChosen, trialCount) = (false, 0)
        case LinkControl.startEncryptionRequest: isEncrypted = true
        case LinkControl.pauseEncryptionResponse: (isEncrypted, sessions) = (false, [])
        default: break
        }
    }

    /// The keys of these two, by this name, first; then all others: addresses change.
    private func ordered(_ keys: [ExportedKey], _ offer: SessionOffer) -> [ExportedKey] {
        let likely = keys.filter {
            $0.central == beginning.central && $0.peripheral == beginning.peripheral
                && $0.diversifier == offer.diversifier && $0.random == offer.random
        }
        return likely + keys.filter { !likely.contains($0) }
    }
}
