// SPDX-License-Identifier: Apache-2.0

extension Pairing {
    /// The capabilities of a device to show numbers to the user and to accept input (Vol 3, Part H,
    /// 2.3.2).
    public enum IOCapability: UInt8, Sendable, CaseIterable, CustomStringConvertible {
        /// The device can show six digits and has no input.
        case displayOnly = 0x00
        /// The device can show six digits and accept yes or no.
        case displayYesNo = 0x01
        /// The device can accept six digits and cannot show any.
        case keyboardOnly = 0x02
        /// The device has neither output nor input. Only out-of-band data can then protect against
        /// a man in the middle.
        case noInputNoOutput = 0x03
        /// The device can show and accept six digits.
        case keyboardDisplay = 0x04

        /// The name in the form of command-line arguments, such as `display-yes-no`.
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
