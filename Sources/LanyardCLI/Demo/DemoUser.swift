// SPDX-License-Identifier: Apache-2.0

#if canImport(LanyardTesting)
    import BluetoothHost
    import Synchronization

    /// The user of the phone.
    final class DemoUser: PairingDelegate {
        private struct State {
            var shown: [PairingDigits] = []
            var pairsAgain = false
            var repeatedQuestions = 0
        }

        private let printer: DemoPrinter
        private let state = Mutex(State())

        init(_ printer: DemoPrinter) {
            self.printer = printer
        }

        /// The digits that the phone has shown.
        var shown: [PairingDigits] { state.withLock { $0.shown } }
        /// The number of times that the phone asked whether to pair again.
        var repeatedQuestions: Int { state.withLock { $0.repeatedQuestions } }
        /// Whether the user agrees to pair again.
        var willPairAgain: Bool {
            get { state.withLock { $0.pairsAgain } }
            set { state.withLock { $0.pairsAgain = newValue } }
        }

        func consents(to pairing: PairingRequest) async -> Bool { true }

        func confirms(_ digits: PairingDigits, of pairing: PairingRequest) async -> Bool {
            state.withLock { $0.shown.append(digits) }
            try? printer.say("phone and accessory show \(digits), and the user confirms")
            return true
        }

        func pairsAgain(with peer: BondedPeer, on link: Link) async -> Bool {
            state.withLock { state in
                state.repeatedQuestions += 1
                return state.pairsAgain
            }
        }
    }
#endif
