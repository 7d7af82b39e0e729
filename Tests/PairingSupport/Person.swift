// SPDX-License-Identifier: Apache-2.0

import BluetoothHost
import Synchronization

/// The user of the host under test, who acts as the test specifies and records the questions.
package final class Person: PairingDelegate {
    /// A question or a display that the user got.
    package enum Experience: Equatable, Sendable {
        case consented
        case compared(UInt32)
        case shown(UInt32)
        case entered(UInt32?)
        case saw(Pairing.Keypress)
        case askedAgain
    }

    /// The user's answers.
    package struct Behavior: Sendable {
        package var consents = true
        package var confirms = true
        /// The number that the user enters, or `nil` to enter nothing.
        package var enters: UInt32?
        /// A closure that returns the number to enter, for a peer that displays it later; `nil` to
        /// use `enters`.
        package var looks: (@Sendable () async -> UInt32?)?
        /// The keys that the user presses before entering the number.
        package var presses: [Pairing.Keypress] = []
        package var pairsAgain = true
        /// A closure that gets the displayed number, for another user to enter.
        package var tells: (@Sendable (UInt32) -> Void)?

        /// Creates answers that accept everything and enter no number.
        package init() {}
    }

    private struct State {
        var behavior = Behavior()
        var experiences: [Experience] = []
        var methods: [Pairing.Method] = []
    }

    private let state = Mutex(State())

    package init(_ behavior: Behavior = Behavior()) { behave(behavior) }

    /// The questions and displays since `behave`.
    package var experiences: [Experience] { state.withLock { $0.experiences } }

    /// The pairing methods of the questions and displays, except of `pairsAgain`.
    package var methods: [Pairing.Method] { state.withLock { $0.methods } }

    /// Sets the user's answers from now on, and clears the record.
    package func behave(_ behavior: Behavior) { state.withLock { $0 = State(behavior: behavior) } }

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
        let behavior = state.withLock { $0.behavior }
        let digits = if let looks = behavior.looks { await looks() } else { behavior.enters }
        note(.entered(digits), of: pairing)
        for keypress in behavior.presses { entry.report(keypress) }
        return digits.flatMap(PairingDigits.init)
    }

    package func peerPressed(_ keypress: Pairing.Keypress, of pairing: PairingRequest) async {
        note(.saw(keypress), of: pairing)
    }

    package func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool {
        state.withLock { state in
            state.experiences.append(.askedAgain)
            return state.behavior.pairsAgain
        }
    }

    @discardableResult
    private func note(_ experience: Experience, of pairing: PairingRequest) -> Behavior {
        state.withLock { state in
            state.experiences.append(experience)
            state.methods.append(pairing.method)
            return state.behavior
        }
    }
}
