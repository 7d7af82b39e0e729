// SPDX-License-Identifier: Apache-2.0

import BluetoothHost

/// A service with a value of every kind that the tests of our server need.
enum SampleValues {
    static let uuid = Demo.uuid(0x100)
    /// A value of 20 bytes that can be read.
    static let short = Demo.uuid(0x101)
    /// A value of 512 bytes that can be read and written.
    static let long = Demo.uuid(0x102)
    /// Another value that can be read and written, even in one request with `long`.
    static let other = Demo.uuid(0x103)
    /// A value that the application provides: 512 bytes that count down.
    static let dynamic = Demo.uuid(0x104)
    /// A value that is notified.
    static let notified = Demo.uuid(0x105)
    /// Another value that is notified.
    static let alsoNotified = Demo.uuid(0x106)
    /// A value that is indicated.
    static let indicated = Demo.uuid(0x107)
    /// A value that can be written without response.
    static let commanded = Demo.uuid(0x108)

    static let service = GATT.ServiceDefinition(
        uuid,
        [
            .init(short, .read, value: .stored(Demo.pattern(20))),
            .init(long, [.read, .write], value: .stored(Demo.pattern(512))),
            .init(other, [.read, .write], value: .stored([])),
            .init(dynamic, [.read, .write], value: .dynamic),
            .init(notified, [.read, .notify], value: .stored([0])),
            .init(alsoNotified, .notify, value: .stored([])),
            .init(indicated, .indicate, value: .stored([])),
            .init(commanded, [.read, .write, .writeWithoutResponse], value: .stored([])),
        ]
    )

    /// The value of `dynamic`.
    static let countdown = Array(Demo.pattern(512).reversed())

    /// Answers reads of `dynamic`, and refuses writes of values other than `countdown`.
    @Sendable static func answer(_ event: ServerEvent) -> Bool {
        switch event {
        case .read(let request) where request.offset > countdown.count:
            request.refuse(.invalidOffset)
        case .read(let request):
            request.respond(with: Array(countdown[request.offset...]))
        case .write(let request):
            let value = request.entries.reduce(into: [UInt8]()) { $0 += $1.value }
            if value == countdown { request.accept() } else { request.refuse(.valueNotAllowed) }
        default: return false
        }
        return true
    }
}
