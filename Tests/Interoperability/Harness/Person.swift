// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// The person in front of our host, who does as the test says and remembers what was asked.
final class Person: PairingDelegate {
    /// What somebody was asked, or shown.
    enum Experience: Equatable, Sendable {
        case consented
        case compared(UInt32)
        case shown(UInt32)
        case entered(UInt32?)
        case saw(Pairing.Keypress)
        case askedAgain
    }

    /// How to answer.
    struct Manner: Sendable {
        var consents = true
        var confirms = true
        /// What is entered where digits are asked for; nil: nothing.
        var enters: UInt32?
        /// Keys that are pressed before that.
        var presses: [Pairing.Keypress] = []
        var pairsAgain = true
        /// Called with what is shown, which somebody may enter elsewhere.
        var tells: (@Sendable (UInt32) -> Void)?
    }

    private struct State {
        var manner = Manner()
        var experiences: [Experience] = []
        var methods: [Pairing.Method] = []
    }

    private let state = Mutex(State())

    init(_ manner: Manner = Manner()) { behave(manner) }

    /// What happened since `behave`.
    var experiences: [Experience] { state.withLock { $0.experiences } }

    /// The methods that questions came with.
    var methods: [Pairing.Method] { state.withLock { $0.methods } }

    /// Answers like this from now on, and forgets what was.
    func behave(_ manner: Manner) { state.withLock { $0 = State(manner: manner) } }

    func consents(to pairing: PairingRequest) async -> Bool {
        note(.consented, of: pairing).consents
    }

    func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        note(.compared(digits.value), of: pairing).confirms
    }

    func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        note(.shown(digits.value), of: pairing).tells?(digits.value)
    }

    func enterDigits(for pairing: PairingRequest, _ entry: DigitEntry) async -> PairingDigits? {
        let manner = state.withLock { $0.manner }
        note(.entered(manner.enters), of: pairing)
        for keypress in manner.presses { entry.report(keypress) }
        return manner.enters.flatMap(PairingDigits.init)
    }

    func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        note(.saw(keypress), of: pairing)
    }

    func pairsAgain(with peer: BondedPeer) async -> Bool {
        state.withLock { state in
            state.experiences.append(.askedAgain)
            return state.manner.pairsAgain
        }
    }

    @discardableResult
    private func note(_ experience: Experience, of pairing: PairingRequest) -> Manner {
        state.withLock { state in
            state.experiences.append(experience)
            state.methods.append(pairing.method)
            return state.manner
        }
    }
}
