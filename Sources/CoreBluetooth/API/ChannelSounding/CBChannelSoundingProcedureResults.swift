// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a procedure of channel sounding has found. No adapter of this host makes one.
open class CBChannelSoundingProcedureResults: NSObject {
    private let measured: Double

    init(distance: Double) {
        measured = distance
    }

    /// How far away the peer is, in metres.
    open var distance: Double { measured }
}
