// SPDX-License-Identifier: Apache-2.0

/// The pauses between packets (Vol 6, Part B, 4.1), where they are not negotiated.
package enum FrameSpace {
    /// Between a packet and the answer to it: T_IFS.
    package static let betweenFrames = Duration.microseconds(150)
    /// The least pause between a packet and the auxiliary packet that it announces: T_MAFS.
    package static let auxiliaryMinimum = Duration.microseconds(300)
}
