// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI

extension AssignedNumbers {
    /// What link layers can do, by the bit that says so (Core 6.0, Vol 6, Part B, 4.6). Bits that say
    /// what hosts can do are left out: no controller sets them by itself.
    static let leFeatureNames: [Int: String] = [
        0: "encryption",
        1: "connection parameters request",
        2: "extended reject indication",
        3: "feature exchange by the peripheral",
        4: "ping",
        5: "data length extension",
        6: "privacy",
        7: "extended scanner filter policies",
        8: "2M PHY",
        9: "stable modulation index, sending",
        10: "stable modulation index, receiving",
        11: "Coded PHY",
        12: "extended advertising",
        13: "periodic advertising",
        14: "channel selection algorithm 2",
        15: "power class 1",
        16: "minimum number of used channels",
        17: "CTE request",
        18: "CTE response",
        19: "connectionless CTE, sending",
        20: "connectionless CTE, receiving",
        21: "antenna switching, sending",
        22: "antenna switching, receiving",
        23: "constant tone extensions",
        24: "periodic sync transfer, sending",
        25: "periodic sync transfer, receiving",
        26: "sleep clock accuracy updates",
        27: "validation of public keys",
        28: "isochronous streams, central",
        29: "isochronous streams, peripheral",
        30: "isochronous broadcaster",
        31: "isochronous receiver",
        33: "power control",
        35: "path loss monitoring",
        36: "periodic advertising ADI",
        37: "connection subrating",
        39: "channel classification",
        40: "choice of advertising coding",
        42: "decision-based filtering",
        43: "periodic advertising with responses, advertiser",
        44: "periodic advertising with responses, scanner",
        45: "unsegmented framed mode",
        46: "channel sounding",
        48: "channel sounding tone quality",
    ]

    /// The names of the features of a set, by their bits; a bit without a name here is `feature 50`.
    static func names(of features: HCI.LEFeatures) -> [String] {
        (0..<UInt64.bitWidth).compactMap { bit in
            guard features.rawValue >> bit & 1 == 1, !hostSupportBits.contains(bit) else {
                return nil
            }
            return leFeatureNames[bit] ?? "feature \(bit)"
        }
    }

    /// Connected isochronous streams, subrating, choice of coding and channel sounding, as far as the
    /// host goes; and the second bit of power control, which says the same as the first.
    private static let hostSupportBits: Set = [32, 34, 38, 41, 47]
}
