// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a Channel Sounding procedure. The adapters of this host support none.
open class CBChannelSoundingProcedureResults: NSObject {
    private let measured: Double

    init(distance: Double) {
        measured = distance
    }

    /// The distance to the peer, in meters.
    open var distance: Double { measured }
}
