// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import LanyardTestSupport
import Testing

@testable import BluetoothSetUp

@Suite struct PropertyListFileTests {
    private typealias Samples = PropertyListSamples

    private func refusal(of data: Data) -> PropertyListError? {
        do throws(PropertyListError) {
            _ = try PropertyListFile(data)
            return nil
        } catch {
            return error
        }
    }

    @Test("The XML and binary forms agree") func formsAgree() throws {
        let xml = Samples.xml([
            "text": "<string>é 🎧</string>",
            "texts": "<array><string>a</string><string>b</string></array>",
            "flag": "<true/>", "flags": "<dict><key>x</key><false/></dict>",
            "mixed": "<array><string>a</string><integer>1</integer></array>",
        ])
        for data in [xml, try Samples.binary(xml)] {
            let file = try PropertyListFile(data)
            #expect(file.text("text") == "é 🎧")
            #expect(file.texts("texts") == ["a", "b"])
            #expect(file.flag("flag") == true)
            #expect(file.flags("flags") == ["x": false])
            #expect(file.has("mixed") && file.texts("mixed") == nil)
            #expect(!file.has("absent") && file.text("absent") == nil)
            #expect(file.text("flag") == nil && file.flag("text") == nil)
        }
    }

    @Test("XML may begin with a byte order mark and blank lines") func leadingSpace() throws {
        let xml = Data("<plist><dict><key>a</key><true/></dict></plist>".utf8)
        #expect(try PropertyListFile(Data([0xEF, 0xBB, 0xBF]) + xml).flag("a") == true)
        #expect(try PropertyListFile(Data("\n \t\r\n".utf8) + xml).flag("a") == true)
    }

    @Test("Other data is refused with the reason") func refusals() {
        #expect(refusal(of: Data()) == .notAPropertyList)
        #expect(refusal(of: Data("{ a = b; }".utf8)) == .notAPropertyList)
        #expect(refusal(of: Data(repeating: 40, count: 200_000)) == .notAPropertyList)
        #expect(refusal(of: Data(#"{"a": 1}"#.utf8)) == .notAPropertyList)
        #expect(refusal(of: Data("<plist><dict>".utf8)) == .malformed)
        #expect(refusal(of: Data("<html></html>".utf8)) == .malformed)
        #expect(refusal(of: Data("bplist00".utf8)) == .malformed)
        #expect(refusal(of: Samples.document("<array/>")) == .notADictionary)
        #expect(refusal(of: Samples.table([Samples.array()])) == .notADictionary)
        let limit = PropertyListFile.lengthLimit
        let long = Data(repeating: UInt8(ascii: "<"), count: limit + 1)
        #expect(refusal(of: long) == .tooLong(limit: limit))
    }

    @Test("Forty arrays that represent 10¹² values are refused")
    func exponentialSize() {
        let arrays = (0..<40).map { Samples.array($0 + 1, $0 + 1) } + [Samples.array()]
        #expect(refusal(of: Samples.table(arrays)) == .tooComplex)
    }

    @Test("Cyclic and deeply nested values are refused") func cycles() {
        #expect(refusal(of: Samples.table([Samples.array(0)])) == .tooComplex)
        let cycle = [Samples.array(1), Samples.array(0)]
        #expect(refusal(of: Samples.table(cycle)) == .tooComplex)
        let chain = (0..<50_000).map { Samples.array($0 + 1) } + [Samples.array()]
        #expect(refusal(of: Samples.table(chain)) == .tooComplex)
        let depth = 50_000
        let deep =
            String(repeating: "<array>", count: depth)
            + String(repeating: "</array>", count: depth)
        #expect(refusal(of: Samples.document(deep)) == .malformed)
    }

    private static let whole = PropertyListSamples.xml([
        InfoPlistCheckTests.usage: PropertyListSamples.sentence,
        "UIBackgroundModes": "<array><string>bluetooth-central</string></array>",
        "numbers": "<array><integer>3</integer><real>0.5</real><data>AAEC</data></array>",
        "nested": "<dict><key>x</key><array><true/><string>é 🎧 and more</string></array></dict>",
    ])

    @Test("A truncated binary file is refused") func truncation() throws {
        let whole = try Samples.binary(Self.whole)
        #expect(refusal(of: whole) == nil)
        for length in 0..<whole.count {
            #expect(refusal(of: whole.prefix(length)) != nil, "\(length)")
        }
    }

    @Test("A damaged file does not end the process", arguments: [true, false], RunSeed.seeds(1))
    func damage(isBinary: Bool, seed: UInt64) throws {
        let whole = isBinary ? try Samples.binary(Self.whole) : Self.whole
        var generator = SplitMix64(seed: seed)
        for _ in 0..<10_000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 8..<whole.count, using: &generator)
                damaged[place] = .random(in: 0...255, using: &generator)
            }
            // The reader may accept or refuse the file, but must return.
            guard let file = try? PropertyListFile(damaged) else { continue }
            _ = file.texts("UIBackgroundModes")
        }
    }

    @Test("The reader agrees with the system's reader") func agreesWithTheSystem() throws {
        let value = try PropertyListSerialization.propertyList(
            from: Self.whole,
            options: [],
            format: nil
        )
        let bytes = [UInt8](try Samples.binary(Self.whole))
        #expect(try BinaryPropertyList.read(bytes) == PropertyListValue(value))
    }

    @Test("The text of every error begins with 'it'") func descriptions() {
        let errors: [PropertyListError] = [
            .tooLong(limit: 5), .notAPropertyList, .tooComplex, .malformed, .notADictionary,
        ]
        for error in errors { #expect("\(error)".hasPrefix("it")) }
    }
}
