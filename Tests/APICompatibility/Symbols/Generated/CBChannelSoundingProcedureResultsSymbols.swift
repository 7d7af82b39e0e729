// SPDX-License-Identifier: Apache-2.0

// Made by Scripts/generate-api-check from corebluetooth-api.csv; not to be edited.

import CoreBluetooth
import Foundation

struct CBChannelSoundingProcedureResultsSymbols: SymbolList {
    var symbols: [Symbol] {
        [
            Symbol(396, "CBChannelSoundingProcedureResults") { _ in
                let _: NSObject.Type = CBChannelSoundingProcedureResults.self
                let _: CBChannelSoundingProcedureResults.Type =
                    OpenCBChannelSoundingProcedureResults.self
            },
            Symbol(397, "CBChannelSoundingProcedureResults.distance") { _ in
                let _: KeyPath<CBChannelSoundingProcedureResults, Double> = \.distance
            },
        ]
    }
}

private class OpenCBChannelSoundingProcedureResults: CBChannelSoundingProcedureResults {
    override var distance: Double { super.distance }
}
