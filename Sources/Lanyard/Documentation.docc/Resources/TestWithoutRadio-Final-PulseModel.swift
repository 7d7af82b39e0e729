// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Observation

/// The strap that this app supports.
extension AccessoryDescription {
    static let strap = AccessoryDescription(
        kind: "strap",
        matching: .service("180D"),
        services: [ServiceDescription("180D", [.subscribe("2A37")])]
    )
}

/// The state that the app shows.
@MainActor @Observable
final class PulseModel {
    private(set) var isConnected = false
    private(set) var rate: Int?

    private let central: AccessoryCentral

    init(configuration: AccessoryCentral.Configuration = .init()) {
        central = AccessoryCentral(for: [.strap], configuration: configuration)
    }

    func begin() async throws {
        let strap = try await central.accessory(.strap)
        Task {
            for await change in strap.changes { isConnected = change.state == .ready }
        }
        Task {
            for await measurement in try strap.values(of: HeartRateMeasurement.self) {
                rate = Int(measurement.rate)
            }
        }
    }
}
