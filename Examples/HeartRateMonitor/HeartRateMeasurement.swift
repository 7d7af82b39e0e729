// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value of the characteristic Heart Rate Measurement (GATT Specification Supplement, 3.116).
struct HeartRateMeasurement: CustomStringConvertible {
    let beatsPerMinute: Int
    /// Whether the sensor has contact with the skin; `nil` if it cannot detect that.
    let isInContact: Bool?

    init?(_ value: Data) {
        let bytes = Array(value)
        guard let flags = bytes.first else { return nil }
        let isWide = flags & 1 != 0
        guard bytes.count > (isWide ? 2 : 1) else { return nil }
        beatsPerMinute = isWide ? Int(bytes[1]) | Int(bytes[2]) << 8 : Int(bytes[1])
        isInContact = flags & 4 != 0 ? flags & 2 != 0 : nil
    }

    var description: String {
        "\(beatsPerMinute) beats per minute" + (isInContact == false ? ", without contact" : "")
    }
}

/// Returns the body location in a value of Body Sensor Location.
func bodySensorLocation(_ value: Data) -> String {
    let places = ["other place", "chest", "wrist", "finger", "hand", "ear lobe", "foot"]
    guard let place = value.first, Int(place) < places.count else { return "body" }
    return places[Int(place)]
}
