// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import BluetoothHost
    import Synchronization

    /// The person with the phone.
    final class DemoPerson: PairingDelegate {
        private struct State {
            var shown: [PairingDigits] = []
            var pairsAgain = false
            var wasAskedAgain = 0
        }

        private let teller: StoryTeller
        private let state = Mutex(State())

        init(_ teller: StoryTeller) {
            self.teller = teller
        }

        /// The digits that the phone has shown so far.
        var shown: [PairingDigits] { state.withLock { $0.shown } }
        /// How often the phone asked whether to pair again.
        var wasAskedAgain: Int { state.withLock { $0.wasAskedAgain } }
        /// What the answer to that is.
        var willPairAgain: Bool {
            get { state.withLock { $0.pairsAgain } }
            set { state.withLock { $0.pairsAgain = newValue } }
        }

        func consents(to pairing: PairingRequest) async -> Bool { true }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            state.withLock { $0.shown.append(digits) }
            try? teller.say("phone and accessory show \(digits): the same, says the person")
            return true
        }

        func pairsAgain(with peer: BondedPeer) async -> Bool {
            state.withLock { state in
                state.wasAskedAgain += 1
                return state.pairsAgain
            }
        }
    }
#endif
