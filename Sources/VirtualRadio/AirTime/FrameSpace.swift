// SPDX-License-Identifier: Apache-2.0

/// The pauses between packets that the devices do not negotiate (Vol 6, Part B, 4.1).
package enum FrameSpace {
    /// T_IFS, the pause between a packet and the answer to it.
    package static let betweenFrames = Duration.microseconds(150)
    /// T_MAFS, the least pause between a packet and the auxiliary packet that it announces.
    package static let auxiliaryMinimum = Duration.microseconds(300)
}
