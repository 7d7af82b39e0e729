// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Lanyard

@Suite("Values of a peripheral")
struct PeripheralValuesTests {
    private let long = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })

    private var values: PeripheralValues {
        PeripheralValues([
            PublishedService(
                "FF00",
                [.readable("FF01", long), .writable("FF02", Data([1, 2, 3]))]
            ),
            .messages("FF10", inbox: "FF11", outbox: "FF12"),
        ])
    }

    private func code<Value>(_ result: Result<Value, AttributeError>) -> AttributeError? {
        if case .failure(let error) = result { error } else { nil }
    }

    @Test("A value is read from the offset to its end", arguments: [0, 1, 22, 299, 300])
    func offsets(offset: Int) throws {
        #expect(try values.read("FF01", from: offset).get() == long.dropFirst(offset))
    }

    @Test("A read beyond the end, or of a characteristic without a value, fails")
    func unreadable() {
        #expect(code(values.read("FF01", from: 301)) == .invalidOffset)
        #expect(code(values.read("FF11", from: 0)) == .readNotPermitted)
        #expect(code(values.read("FF99", from: 0)) == .readNotPermitted)
    }

    @Test("Writes that arrive together are all performed, or none")
    func units() throws {
        let changed = try values.written([
            .init(characteristic: "FF02", offset: 0, bytes: Data([9, 9])),
            .init(characteristic: "FF02", offset: 2, bytes: Data([8])),
            .init(characteristic: "FF01", offset: 300, bytes: Data([7])),
        ]).get()
        #expect(changed == ["FF02": Data([9, 9, 8]), "FF01": long + Data([7])])
        let refused = values.written([
            .init(characteristic: "FF02", offset: 0, bytes: Data([9])),
            .init(characteristic: "FF02", offset: 2, bytes: Data([8])),
        ])
        #expect(code(refused) == .invalidOffset)
    }

    @Test("A value has at most 512 bytes")
    func length() throws {
        let fits = Data(repeating: 1, count: 512)
        let written = values.written([.init(characteristic: "FF02", offset: 0, bytes: fits)])
        #expect(try written.get() == ["FF02": fits])
        let tooLong = values.written([
            .init(characteristic: "FF02", offset: 0, bytes: fits),
            .init(characteristic: "FF02", offset: 512, bytes: Data([1])),
        ])
        #expect(code(tooLong) == .invalidAttributeValueLength)
        var values = values
        values["FF02"] = fits + fits
        #expect(values["FF02"]?.count == 512)
    }

    @Test("A characteristic without a value cannot be written")
    func unknown() {
        var values = values
        values["FF99"] = Data([1])
        #expect(values["FF99"] == nil)
        let written = values.written([.init(characteristic: "FF12", offset: 0, bytes: Data())])
        #expect(code(written) == .writeNotPermitted)
    }

    @Test("An empty write empties the value, and an empty list of writes changes no value")
    func empty() throws {
        let none = try values.written([]).get()
        #expect(none.isEmpty)
        let cut = values.written([.init(characteristic: "FF02", offset: 0, bytes: Data())])
        #expect(try cut.get() == ["FF02": Data()])
    }

    @Test("A kind determines properties and permissions")
    func properties() {
        let inbox = PublishedCharacteristic("FF11", .inbox(outbox: "FF12")).mutable
        #expect(inbox.properties == [.write, .writeWithoutResponse])
        #expect(inbox.permissions == [.readable, .writeable])
        let outbox = PublishedCharacteristic("FF12", .outbox).protected().mutable
        #expect(outbox.properties == .notifyEncryptionRequired)
        #expect(outbox.permissions == [.readEncryptionRequired, .writeEncryptionRequired])
        let level = PublishedCharacteristic.notifying("2A19", Data([50])).mutable
        #expect(level.properties == [.read, .notify])
        #expect(level.value == nil)
    }
}
