// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// The person in front of our host, who does as the test says and remembers what was asked.
package final class Person: PairingDelegate {
    /// What somebody was asked, or shown.
    package enum Experience: Equatable, Sendable {
        case consented
        case compared(UInt32)
        case shown(UInt32)
        case entered(UInt32?)
        case saw(Pairing.Keypress)
        case askedAgain
    }

    /// How to answer.
    package struct Manner: Sendable {
        package var consents = true
        package var confirms = true
        /// What is entered where digits are asked for; nil: nothing.
        package var enters: UInt32?
        /// Asked for the digits where it is not known before what the other side shows; nil: `enters`.
        package var looks: (@Sendable () async -> UInt32?)?
        /// Keys that are pressed before that.
        package var presses: [Pairing.Keypress] = []
        package var pairsAgain = true
        /// Called with what is shown, which somebody may enter elsewhere.
        package var tells: (@Sendable (UInt32) -> Void)?

        /// Says yes to everything, and enters nothing.
        package init() {}
    }

    private struct State {
        var manner = Manner()
        var experiences: [Experience] = []
        var methods: [Pairing.Method] = []
    }

    private let state = Mutex(State())

    package init(_ manner: Manner = Manner()) { behave(manner) }

    /// What happened since `behave`.
    package var experiences: [Experience] { state.withLock { $0.experiences } }

    /// The methods that questions came with.
    package var methods: [Pairing.Method] { state.withLock { $0.methods } }

    /// Answers like this from now on, and forgets what was.
    package func behave(_ manner: Manner) { state.withLock { $0 = State(manner: manner) } }

    package func consents(to pairing: PairingRequest) async -> Bool {
        note(.consented, of: pairing).consents
    }

    package func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
        note(.compared(digits.value), of: pairing).confirms
    }

    package func show(_ digits: PairingDigits, of pairing: PairingRequest) async {
        note(.shown(digits.value), of: pairing).tells?(digits.value)
    }

    package func enterDigits(for pairing: PairingRequest, _ entry: DigitEntry) async
        -> PairingDigits?
    {
        let manner = state.withLock { $0.manner }
        let digits = if let looks = manner.looks { await looks() } else { manner.enters }
        note(.entered(digits), of: pairing)
        for keypress in manner.presses { entry.report(keypress) }
        return digits.flatMap(PairingDigits.init)
    }

    package func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        note(.saw(keypress), of: pairing)
    }

    package func pairsAgain(with peer: BondedPeer) async -> Bool {
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
