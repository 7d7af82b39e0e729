// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// What a device can show to a person and learn from one (Vol 3, Part H, 2.3.2).
    public enum IOCapability: UInt8, Sendable, CaseIterable, CustomStringConvertible {
        /// It shows six digits, and nobody can answer.
        case displayOnly = 0x00
        /// It shows six digits, and learns yes or no.
        case displayYesNo = 0x01
        /// Six digits can be entered, none shown.
        case keyboardOnly = 0x02
        /// Neither: nothing can protect from a man in the middle but data out of band.
        case noInputNoOutput = 0x03
        /// It shows six digits, and six can be entered.
        case keyboardDisplay = 0x04

        /// The name in words of the command line: `display-yes-no`.
        public var description: String {
            switch self {
            case .displayOnly: "display-only"
            case .displayYesNo: "display-yes-no"
            case .keyboardOnly: "keyboard-only"
            case .noInputNoOutput: "no-input-no-output"
            case .keyboardDisplay: "keyboard-display"
            }
        }
    }
}
