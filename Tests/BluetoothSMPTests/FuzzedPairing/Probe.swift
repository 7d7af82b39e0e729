// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothTypes

@testable import BluetoothSMP

/// A PDU at an unexpected time or in an unexpected form.
struct Probe {
    enum Form: Equatable {
        case whole
        /// The length or a value is invalid for the code.
        case malformed
        /// The code has no name.
        case unknown
    }

    var bytes: [UInt8]
    var form: Form

    var code: SMP.Code? { bytes.first.map { SMP.Code(rawValue: $0) } }

    /// Complete and truncated PDUs, PDUs with additional bytes, codes without a name, an empty PDU,
    /// and invalid values.
    static let all: [Probe] =
        PDUVector.all.flatMap { probes(of: $0.bytes) }
        + [0x00, 0x0F, 0x7F, 0xFF].flatMap { unknown($0) }
        + [
            Probe(bytes: [], form: .malformed),
            Probe(bytes: [0x0E, 0x05], form: .malformed),
            Probe(bytes: [0x09, 0x02, 1, 2, 3, 4, 5, 0xC6], form: .malformed),
        ]

    private static func probes(of bytes: [UInt8]) -> [Probe] {
        let truncated = Set([1, bytes.count / 2, bytes.count - 1]).sorted()
        return [Probe(bytes: bytes, form: .whole)]
            + truncated.map { Probe(bytes: Array(bytes.prefix($0)), form: .malformed) }
            + [1, 100].map {
                Probe(bytes: bytes + [UInt8](repeating: 0, count: $0), form: .malformed)
            }
    }

    private static func unknown(_ code: UInt8) -> [Probe] {
        [0, 16].map {
            Probe(bytes: [code] + [UInt8](repeating: 0xA5, count: $0), form: .unknown)
        }
    }
}

/// The required result of a probe: a small model of the protocol, made of the PDUs of the script
/// and the rules of the specification, without states.
struct Verdict: Equatable {
    enum Kind: Equatable {
        /// The PDU was awaited. Its value decides whether the pairing continues or is refused for
        /// one of these reasons.
        case judged(refusals: [Pairing.FailureReason])
        /// Nothing changes, and nothing is sent.
        case ignored
        /// The pairing ends, and the peer gets one of these reasons.
        case refused([Pairing.FailureReason])
        /// The pairing ends without a PDU to the peer.
        case ended
        /// No pairing is in progress: at most a refusal is sent.
        case turnedAway
    }

    var kind: Kind

    init(on probe: Probe, at snapshot: PairingModel.Snapshot, of script: PairingScript) {
        kind = Self.kind(probe, snapshot, script)
    }

    private static func kind(
        _ probe: Probe,
        _ snapshot: PairingModel.Snapshot,
        _ script: PairingScript
    ) -> Kind {
        let isIdle = snapshot.progress == 0 && snapshot.end == .peripheral
        if isIdle { return idle(probe) }
        switch probe.form {
        case .malformed: return .refused([.invalidParameters])
        // A later version may define the code. The code has no meaning in this version (3.3).
        case .unknown: return .ignored
        case .whole: break
        }
        guard let code = probe.code else { return .ignored }
        switch code {
        case .pairingFailed: return .ended
        // The Security Request asks for the pairing that is in progress (2.4.6).
        case .securityRequest where snapshot.end == .central: return .ignored
        case .pairingKeypressNotification where expectsKeypress(snapshot, script): return .ignored
        default: break
        }
        guard code == awaited(snapshot, script) else {
            return .refused([.unspecified, .commandNotSupported, .invalidParameters])
        }
        return .judged(refusals: refusals(of: code))
    }

    private static func idle(_ probe: Probe) -> Kind {
        if probe.form == .unknown { return .ignored }
        guard probe.form == .whole, probe.code == .pairingRequest else { return .turnedAway }
        return .judged(refusals: [.authenticationRequirements, .outOfBandDataNotAvailable])
    }

    /// Returns the PDU that the peer has to send next, or `nil` while the peer waits.
    private static func awaited(_ snapshot: PairingModel.Snapshot, _ script: PairingScript) -> SMP
        .Code?
    {
        let (before, after) = script.lines
        let lines = before + after
        guard snapshot.progress < lines.count else { return nil }
        guard snapshot.progress < before.count || snapshot.isEncrypted else { return nil }
        let line = lines[snapshot.progress]
        return line.from == snapshot.end.other ? line.code : nil
    }

    /// Returns whether a keypress is expected: from the side where the passkey is entered, until
    /// the first confirm value (3.5.8), if both sides support keypresses.
    private static func expectsKeypress(_ snapshot: PairingModel.Snapshot, _ script: PairingScript)
        -> Bool
    {
        guard script.central.usesKeypressNotifications, snapshot.end == .central else {
            return false
        }
        let lines = script.lines.before
        let first = lines.firstIndex { $0.code == .pairingConfirm } ?? lines.count
        // The central sends its confirm value as early as possible, so it may precede a keypress.
        return (first...first + 1).contains(snapshot.progress)
    }

    /// Returns the reasons for refusing a wrong value that the receiver can detect.
    private static func refusals(of code: SMP.Code) -> [Pairing.FailureReason] {
        switch code {
        case .pairingResponse:
            [.authenticationRequirements, .invalidParameters, .outOfBandDataNotAvailable]
        case .pairingPublicKey: [.dhKeyCheckFailed]
        case .pairingRandom: [.confirmValueFailed]
        case .pairingDHKeyCheck: [.dhKeyCheckFailed]
        default: []
        }
    }
}
