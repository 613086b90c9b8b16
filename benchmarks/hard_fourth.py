"""The fourth hard set: whole documents of many trades instead of single sentences, in fourteen locales.

Rulings, statements to the police, obituaries, leases, school reports, memoirs, call transcripts without punctuation,
data base rows, parish registers, match reports, wills, customs forms and minutes of clubs. It was written without a look
at the recognisers and committed before any of them was run on it. The marks are those of ``hard_first.py``: places,
firms and courts are neutral.
"""

from __future__ import annotations

import random

import hard_numbers as n


def italian_iban(rng: random.Random) -> str:
    """An Italian IBAN: its first sign after the check digits is a letter."""
    body = rng.choice("ABCDEFGHKLMNPRSTUVWXYZ") + n.digits(rng, 22)
    return f"IT{98 - int(''.join(str(int(c, 36)) for c in body + 'IT00')) % 97:02d}{body}"


def texts(seed: int) -> list[str]:
    """The marked texts, with values drawn by the seed."""
    rng = random.Random(seed + 3)

    def d(count: int) -> str:
        return n.digits(rng, count)

    return [
        # --- law -------------------------------------------------------------------------------------------------
        f"""IN THE COUNTY COURT AT [[~|NORWICH]]                                   Claim No. [[ID|H{rng.randint(10, 99)}YX{d(3)}]]
BETWEEN
[[PERSON caps|PERPETUA ADEKUNLE-FROST]]                Claimant
- and -
[[PERSON caps|GARETH LLEWELLYN POWYS]]                 Defendant

WITNESS STATEMENT OF [[PERSON caps|IMOGEN TREVELYAN]]

I, [[PERSON|Imogen Trevelyan]], of [[ADDRESS|Rose Cottage, 4 Mill Lane, Aylsham, Norwich NR11 6BJ]], will say as follows:
1. I am a self-employed bookkeeper. I have known the Claimant since [[DATE|September 2011]].
2. On Tuesday [[DATE|14 November 2023]] at about 7 pm I heard [[PERSON|Powys]] shouting. He told [[PERSON|Perpetua]] that she would "regret the day".
3. I wrote down the registration of his van, [[PLATE|AK19 {rng.choice("BCDF")}{rng.choice("GHJK")}{rng.choice("LMNP")}]], and rang my husband, [[PERSON|Tarquin]], on [[PHONE|07700 900{d(3)}]].
4. PC [[PERSON|Nwosu]] arrived twenty minutes later.""",
        f"""Urteil. Im Namen des Volkes. In dem Rechtsstreit der [[PERSON|Irmgard Schlüter-Nkemelu]], [[ADDRESS|Birkenallee 61, 28213 Bremen]], Klägerin, Prozessbevollmächtigter: Rechtsanwalt Dr. [[PERSON|Detlef Vogelsang]], gegen den [[PERSON|Yıldıray Kaplanoğlu]], Beklagten, hat das [[~|Amtsgericht Bremen]] durch die Richterin [[PERSON|Lüdemann]] auf die mündliche Verhandlung vom [[DATE|11.01.2024]] für Recht erkannt: Der Beklagte wird verurteilt, an die Klägerin 2.340,00 Euro auf das Konto [[IBAN|{n.grouped(n.iban(rng), 4, 4, 4, 4, 4)}]] zu zahlen. Tatbestand: Die Klägerin, geboren am [[DATE|30. Juni 1958]], vermietete dem Beklagten eine Wohnung. [[PERSON|Kaplanoğlu]] zahlte ab Mai nicht mehr.""",
        f"""RÉPUBLIQUE FRANÇAISE. Le tribunal, statuant publiquement, en présence de M. [[PERSON|Enguerrand de La Ferrière]], substitut du procureur, et de Mme [[PERSON|Solène Kergoat]], greffière ; vu la requête de [[PERSON|Fatoumata Diarrassouba]], née le [[DATE|2 février 1991]] à [[~|Bamako]], demeurant [[ADDRESS|18, impasse des Tilleuls, 35000 Rennes]], NIR [[FR_NIR|{n.grouped(n.nir(rng), 1, 2, 2, 2, 3, 3)}]] ; considérant que [[PERSON|Diarrassouba]] justifie d'une résidence continue ; ordonne la délivrance du titre. Contact du conseil : [[EMAIL|cabinet.kergoat{d(2)}@avocats.example.fr]], [[PHONE|02 99 {n.grouped(d(6), 2, 2)}]].""",
        f"""TESTAMENTO. Yo, [[PERSON|Casimira Orellana Huerta]], mayor de edad, viuda de [[PERSON|Leandro Bustamante]], con DNI [[ES_DNI|{n.dni(rng)}]], vecina de [[~|Cáceres]], con domicilio en [[ADDRESS|Plaza de San Jorge 2, 1.º izquierda, 10003 Cáceres]], lego a mi sobrina [[PERSON|Nuria]] la casa del pueblo y a mi ahijado [[PERSON|Telmo Arrieta]] la cuenta [[IBAN|{n.iban(rng, "ES", 24)}]]. Otorgado el [[DATE|19 de diciembre de 2022]] ante el notario don [[PERSON|Fulgencio Barrantes]].""",
        f"""CONTRATTO DI LOCAZIONE. Tra il sig. [[PERSON|Teodolindo Scarpellini]], nato a [[~|Bergamo]] il [[DATE|9 gennaio 1950]], C.F. [[IT_CF|{n.codice_fiscale(rng)}]], di seguito locatore, e la sig.ra [[PERSON|Giacinta Lo Presti]], C.F. [[IT_CF|{n.codice_fiscale(rng)}]], di seguito conduttrice. Immobile: [[ADDRESS|Via dei Mille 18, 24122 Bergamo]]. Canone mensile 640 euro, da versare su [[IBAN|{italian_iban(rng)}]] entro il giorno 5. Recapito della conduttrice: [[PHONE|338 {d(7)}]], [[EMAIL|giacinta.lp{d(2)}@posta.example.it]].""",
        # --- police, insurance, emergency ------------------------------------------------------------------------
        f"""INCIDENT REPORT
Reporting officer: Sgt. [[PERSON|Delroy Makepeace]], badge [[ID|{d(5)}]]
Date/time: [[DATE|03/17/2024]] 2240 hrs
Complainant: [[PERSON|Lakshmi Raghunathan]] (F, 34), DL [[ID|{rng.choice("BDFK")}{d(7)}]], [[ADDRESS|2218 Sycamore Court, Unit 7B, Aurora, IL 60504]]
Suspect: [[PERSON|"Ricky" Dale Hutchcraft]], SSN [[US_SSN|{n.ssn(rng)}]], alias [[HANDLE|@slickrick_{d(3)}]]
Narrative: Complainant stated that her ex-boyfriend [[PERSON|Hutchcraft]] followed her from the parking lot. She provided screenshots from the number [[PHONE|630-555-0{d(3)}]]. Neighbor [[PERSON|Bettye Lou Crandall]] confirmed that a grey pickup, plate [[PLATE|BX {d(5)}]], was parked outside at [[COORDINATES|41.{d(4)}, -88.{d(4)}]]. Hutchcraft was not on scene.""".replace(
            "Hutchcraft was", "[[PERSON|Hutchcraft]] was"
        ),
        f"""Schadenmeldung Haftpflicht. Versicherungsnehmer: [[PERSON|Leopold Zirngibl]]; Polizze [[POLICY|AT-{d(4)}-{d(4)}]]; Tel. [[PHONE|+43 664 {d(7)}]]. Hergang: Am [[DATE|6. Jänner 2024]] hat mein Sohn [[PERSON|Valentin]] beim Rodeln das Fahrzeug der Frau Magister [[PERSON|Hrdlicka]] (Kennzeichen [[PLATE|W-{d(5)}X]]) beschädigt. Die Geschädigte wohnt in [[ADDRESS|Mariahilfer Straße 88a/12, 1070 Wien]]. Bitte überweisen Sie direkt an sie: [[IBAN|{n.grouped(n.iban(rng, "AT", 20), 4, 4, 4, 4)}]], BIC [[BIC|GIBAATWWXXX]].""",
        """operator nine one one whats the address of your emergency caller uh its [[ADDRESS|fourteen twelve juniper street]] operator okay and whats your name caller [[PERSON lower|shaniqua]] [[PERSON lower|shaniqua dupree]] operator okay [[PERSON lower|shaniqua]] whats going on caller my grandfather [[PERSON lower|ezekiel]] fell in the bathtub and hes not answering operator how old is [[PERSON lower|ezekiel]] caller eighty one operator help is on the way stay on the line""",
        f"""agent thank you for calling how can i help customer yeah hi my card got declined agent may i have your full name customer [[PERSON lower|winifred osei]] agent and the card number customer its [[CARD|{n.grouped(n.luhn(rng, "4", 16), 4, 4, 4)}]] agent and your date of birth customer [[DATE|april ninth nineteen eighty seven]] agent thank you [[PERSON lower|winifred]] i see an address in [[~|tulsa]] is that right customer no i moved my email is [[EMAIL obfuscated|winnie dot osei at example dot com]]""",
        # --- papers of a newsroom --------------------------------------------------------------------------------
        """OBITUARY. [[PERSON|Hephzibah "Heppie" Longbottom]], 94, died peacefully at home on [[DATE|Feb. 3]]. Born in [[~|Whitby]] to [[PERSON|Silas]] and [[PERSON|Mercy Longbottom]], she taught infants for four decades. She is survived by her sons [[PERSON list|Ambrose]] ([[PERSON list|Kerensa]]) and [[PERSON list|Jethro]], seven grandchildren, and her beloved spaniel. She was predeceased by her sister [[PERSON|Keturah Dunstable]]. Donations may be sent to the lifeboat fund c/o Rev. [[PERSON|Crispin Oakeshott]], [[ADDRESS|The Vicarage, 9 Church Street, Whitby YO22 4DE]].""",
        """Late drama at the Rec. [[PERSON|Tamihana]] opened the scoring with a penalty before [[PERSON|Wojciechowski]] was sent to the bin for a high tackle on [[PERSON|De Clercq]]. After the break fly-half [[PERSON|Ifan Prosser-Rees]] kicked three from three, and when [[PERSON|Mukherjee]] broke from his own 22 the crowd was on its feet. Coach [[PERSON|Siobhan Gillespie]] said: "I thought [[PERSON|Ifan]] was immense, but [[PERSON|Tommo]] will feel that one in the morning." Attendance 3,412.""",
        """Acknowledgements. This thesis would not exist without my supervisor, [[PERSON|Anneliese Okparaebo]], who read every draft. I thank [[PERSON|Rustam Zhaksylykov]] for the titrations, [[PERSON list|Moana]], [[PERSON list|Fergus]] and [[PERSON list|Zeynep]] for coffee, the technicians of the [[~|Rayleigh]] building, and above all [[PERSON|Cosmo]], who learned to walk while I learned to write. Any errors are mine.""",
        """Hochzeitsanzeige. Wir trauen uns! [[PERSON|Friederike Amsel]] & [[PERSON|Bogdan Wieczorek]]. Standesamt [[~|Görlitz]], Samstag, den [[DATE|7. September 2024]], 11 Uhr. Trauzeugen sind [[PERSON|Lothar Amsel]] und [[PERSON|Danuta]]. Um Antwort wird gebeten: [[EMAIL|rike.und.bogdan@hochzeit.example.de]] oder bei Mama [[PERSON|Gundula]], [[PHONE|03581 40{d4}]].""".replace(
            "{d4}", d(4)
        ),
        # --- schools, clubs, work --------------------------------------------------------------------------------
        f"""END OF YEAR REPORT - Year 5 Kestrels
Pupil: [[PERSON|Oluwadamilola Ashworth]]   UPN: [[ID|{rng.choice("ABCDEFGH")}{d(12)}]]   DoB: [[DATE|21.08.13]]
[[PERSON|Dami]] has had a super year. [[PERSON|Dami]]'s fractions have come on and [[PERSON|Damilola]] now reads aloud with real expression. In PE she enjoyed dodgeball. Next steps: joined handwriting, and less chatting with [[PERSON|Persephone]]!
Class teacher: Miss [[PERSON|K. Featherby]]
Headteacher: [[PERSON|Aloysius Quayle]]""",
        """Klassenkonferenz 8b, Protokoll. Anwesend: Frau [[PERSON list|Tetzlaff]] (Vorsitz), Herr [[PERSON list|Abou-Chaker]], Herr [[PERSON list|von Dohnányi]], die Elternvertreterin Frau [[PERSON list|Pawelczyk]]. TOP 1: [[PERSON|Jonte]] und [[PERSON|Malik]] haben am [[DATE|14.2.]] den Feuermelder ausgelöst. [[PERSON|Malik]] hat sich entschuldigt, [[PERSON|Jonte]] nicht. Beschluss: schriftlicher Verweis für [[PERSON|Jonte Brunckhorst]]. TOP 2: Klassenfahrt nach [[~|Rügen]].""",
        f"""To: HR
Re: grievance

I am writing about my line manager, [[PERSON|Thaddeus Mbeki-Lowe]] (employee no. [[ID|E{d(6)}]]). Since I came back from maternity leave on [[DATE|8 January]] he has taken three accounts from me and given them to [[PERSON|Corinna]]. In the corridor he said, in front of [[PERSON|Ravindra]] from payroll, that "some people are not built for sales". My NI number is [[UK_NINO|{n.nino(rng)}]] and you can reach me privately on [[PHONE|01632 960{d(3)}]] or [[EMAIL|marisol.etxebarria@inbox.example.org]].

[[PERSON|Marisol Etxebarria]]""",
        f"""CURRICULUM VITAE
[[PERSON caps|NKECHINYERE VAN ROOYEN]]
[[ADDRESS|Keizersgracht 241-2, 1016 EA Amsterdam]] | [[PHONE|+31 6 {d(8)}]] | [[EMAIL|nvanrooyen@werk.example.nl]] | [[DOMAIN|nkechi-bouwt.example.nl]] | [[HANDLE|@nkechibouwt]]
BSN [[NL_BSN|{n.bsn(rng)}]], geboren [[DATE|17 mei 1993]]
2019-heden  Constructeur, [[~|Brugwerken BV]]. Leiding over een team van zes.
2015-2019   Junior constructeur. Begeleid door ir. [[PERSON|Floortje Hoogendijk]].
Referenties: [[PERSON|Hoogendijk]] ([[PHONE|020 {d(7)}]]), [[PERSON|Sietse Bakkenes]].""",
        f"""Minutes of the allotment society, [[DATE|2nd October]]. Plot 14: Mr and Mrs [[PERSON|Quartermaine]] have given up; next on the list is [[PERSON|Blessing]]. Plot 22: old [[PERSON|Wilf]] wants his water butt back from [[PERSON|Beryl]]. The key code for the shed is now [[SECRET|{d(4)}#]]. Treasurer [[PERSON|P. D. Ogilvy]] reported a balance of 412.60 in account [[ACCOUNT|{d(8)}]], sort code [[ACCOUNT|{d(2)}-{d(2)}-{d(2)}]]. Seed potatoes arrive in February.""",
        # --- health ----------------------------------------------------------------------------------------------
        f"""Ontslagbrief. Betreft: mevr. [[PERSON|Aaltje Dijkgraaf-Sertkaya]], geb. [[DATE|12-03-1949]], BSN [[NL_BSN|{n.bsn(rng)}]], patiëntnummer [[ID|{d(7)}]]. Bovengenoemde patiënte was van [[DATE|3 t/m 9 april 2024]] opgenomen wegens een heupfractuur. Operateur: dr. [[PERSON|Boukhari]]. Mantelzorger is haar zoon [[PERSON|Ruben]] ([[PHONE|06-{d(8)}]]). Medicatie: paracetamol 4 dd 1 g, nadroparine 0,3 ml.""",
        f"""Epikryza. Pacjentka [[PERSON|Bronisława Szymczak-Nowicka]], PESEL [[PL_PESEL|{n.pesel(rng)}]], zam. [[ADDRESS|ul. Marszałkowska 84/92 m. 5, 00-514 Warszawa]], przyjęta [[DATE|11 marca 2024 r.]] z powodu duszności. Lekarz prowadzący: dr n. med. [[PERSON|Wit Karczewski]]. Kontakt do córki, p. [[PERSON|Jagody]]: [[PHONE|+48 512 {d(3)} {d(3)}]]. Zalecenia: kontrola za 6 tygodni.""",
        f"""Remiss. Patient: [[PERSON|Torbjörn Åkerlund-Haile]], personnummer [[SE_PNR|{n.personnummer(rng)}]], tel [[PHONE|070-{d(3)} {d(2)} {d(2)}]]. Anhörig: sambon [[PERSON|Selam]]. Söker den [[DATE|5 februari 2024]] för yrsel. Tidigare frisk. Remitterande läkare: [[PERSON|Gunilla Wrede]], [[~|Vårdcentralen Hagastaden]]. Svar önskas till [[ADDRESS|Norrbackagatan 12, 113 41 Stockholm]].""",
        f"""Receita. Paciente: [[PERSON|Iracema Wollinger dos Passos]]. CPF [[BR_CPF|{n.cpf(rng)}]]. End.: [[ADDRESS|Rua Felipe Schmidt, 515, apto 302, Centro, Florianópolis - SC, 88010-001]]. Uso: losartana 50 mg, 1 comprimido ao dia. Retorno em [[DATE|15/07/2024]]. Acompanhante: [[PERSON|Jurandir]], tel. [[PHONE|(48) 9{d(4)}-{d(4)}]]. Dra. [[PERSON|Thaís Bittencourt]], CRM [[ID|{d(5)}]].""",
        f"""Health visitor note. Saw mum ([[PERSON|Caoimhe]]) and baby [[PERSON|Lorcan]] at home, dad [[PERSON|Piotr]] on nights. NHS no. [[UK_NHS|{n.nhs(rng)}]]. Weight 5.2 kg, 50th centile. Mum low in mood, EPDS 14; has support from nan [[PERSON|Dympna]]. Discussed with GP Dr [[PERSON|A. Chatterjee-Bloom]]. Review in 2/52. Home tel [[PHONE|028 9018 {d(4)}]].""",
        f"""Therapiegespräch Nr. 9. Kl. berichtet von der Trennung von [[PERSON|Hannelore]]. Er habe [[PERSON|Hannelore]] seit [[~|Ostern 2022]] nicht gesehen. Der Bruder, [[PERSON|Eckbert]], habe ihm Geld geliehen. AHV [[CH_AHV|{n.ahv(rng)}]], Krankenkasse-Nr. [[POLICY|{d(3)}.{d(4)}.{d(2)}]]. Nächster Termin mit lic. phil. [[PERSON|Regula Zgraggen]], [[ADDRESS|Seefeldstrasse 45, 8008 Zürich]].""",
        # --- things made by machines -----------------------------------------------------------------------------
        f"""INSERT INTO customer (id, full_name, mail, tel, born, pan) VALUES
({d(3)}, '[[PERSON|Ottoline Fairweather]]', '[[EMAIL|o.fairweather@shop.example.co.uk]]', '[[PHONE|+4420794{d(5)}]]', '[[DATE|1971-04-30]]', '[[CARD|{n.luhn(rng, "5425", 16)}]]'),
({d(3)}, '[[PERSON|Mthunzi Dlamini]]', '[[EMAIL|mthunzi{d(2)}@shop.example.za]]', '[[PHONE|+2782{d(7)}]]', '[[DATE|1988-12-01]]', '[[CARD|{n.luhn(rng, "4539", 16)}]]');""",
        f"""id;nachname;vorname;strasse;plz;ort;geburtsdatum;steuer_id
1;[[PERSON|Ohlendorf]];[[PERSON|Swantje]];[[ADDRESS|Deichweg 4]];[[ADDRESS|25813]];[[~|Husum]];[[DATE|03.09.1966]];[[DE_IDNR|{n.idnr(rng)}]]
2;[[PERSON|Badr]];[[PERSON|Yusra]];[[ADDRESS|Süderstraße 19b]];[[ADDRESS|25813]];[[~|Husum]];[[DATE|28.02.1999]];[[DE_IDNR|{n.idnr(rng)}]]""",
        f"""contact:
  name: [[PERSON|Evangelos Papastathopoulos]]
  handles:
    github: [[HANDLE|papastath{d(2)}]]
    mastodon: [[HANDLE|@vangelis@social.example.gr]]
  backup_email: [[EMAIL|e.papastathopoulos+alerts@example.gr]]
  home: {{lat: [[COORDINATES|37.{d(5)}]], lon: [[COORDINATES|23.{d(5)}]]}}
deploy:
  api_key: [[SECRET|sk_live_{"".join(rng.choices("abcdefghkmnpqrstuvwxyz23456789", k=24))}]]
  host: [[IP|172.16.{rng.randint(2, 250)}.{rng.randint(2, 250)}]]
  replicas: 3""",
        f"""[[~|Nov 04 21:10:33]] gw sshd[{d(4)}]: Accepted password for [[HANDLE|mwangi]] from [[IP|41.{rng.randint(2, 250)}.{rng.randint(2, 250)}.{rng.randint(2, 250)}]] port 50122 ssh2
[[~|Nov 04 21:10:41]] gw dhcpd: DHCPACK on [[IP|10.0.8.{rng.randint(2, 250)}]] to [[MAC|{n.mac(rng)}]] ([[PERSON|Mwangis-iPhone]]) via wlan0
[[~|Nov 04 21:11:02]] gw nginx: "GET [[URL|https://intra.example.ke/staff/wambui-mwangi/photo.jpg]] HTTP/2" 200 18233""",
        f"""<person><given>[[PERSON|Tatsuo]]</given><family>[[PERSON|Miyazono]]</family><born>[[DATE|1964-11-23]]</born><passport issuer="JP">[[PASSPORT|TR{d(7)}]]</passport><mobile>[[PHONE|+81-80-{d(4)}-{d(4)}]]</mobile><note>travels with wife [[PERSON|Chiyoko]]</note></person>""",
        f"""commit [[~|{n.uuid(rng).replace("-", "")}deadbeef]]
Author: [[PERSON|Bertrand Quillfeather]] <[[EMAIL|bq@quill.example.dev]]>
Date:   Mon [[DATE|Mar 4]] [[~|18:22:07 2024]] +0100

    Fix off-by-one in pager (reported by [[PERSON|Agnieszka]])

    Reviewed-by: [[PERSON|Hyun-woo Seo]] <[[EMAIL|hwseo@example.kr]]>""",
        # --- travel, trade, money --------------------------------------------------------------------------------
        f"""E-TICKET RECEIPT  Booking reference [[ID|{"".join(rng.choices("BCDFGHJKLMNPQRSTVWXYZ", k=6))}]]
[[PERSON caps|BALOGUN/TEMITAYO]] MRS   Frequent flyer [[ID|BA {d(8)}]]
[[PERSON caps|BALOGUN/KOLADE]] MSTR
LHR-LOS [[DATE|22JUN]] 1015 seat 34A. Passport [[PASSPORT|A{d(8)}]]. Paid with Visa ending [[~|4417]]. Queries: [[PHONE|0344 493 {d(4)}]].""",
        f"""CN22 customs declaration. Sender: [[PERSON|Ondřej Vrchota]], [[ADDRESS|Korunní 810/104, 101 00 Praha 10]]. Recipient: Ms. [[PERSON|Harriet Bloomquist-Ito]], [[ADDRESS|77 Fernhill Road, Ringwood VIC 3134, Australia]], [[PHONE|+61 4{d(2)} {d(3)} {d(3)}]]. Contents: 1 wooden toy, 2 books. Tracking [[ID|RR{d(9)}CZ]]. Value 40 EUR.""",
        f"""Statement of account. Ms [[PERSON|Xiulan Featherington]]. IBAN [[IBAN|{n.grouped(n.iban(rng, "BE", 16), 4, 4, 4)}]]. Rijksregister [[BE_NN|{n.belgian(rng)}]].
[[DATE|02/05]] standing order [[PERSON|J Vanhaverbeke]] RENT   -890,00
[[DATE|04/05]] transfer from [[PERSON|Featherington X]]   +200,00
[[DATE|05/05]] card payment bakery   -6,40
New balance 1.204,18""",
        f"""Hallo, ich verkaufe mein Rad, 28 Zoll, wenig gefahren. Abholung in [[ADDRESS|Hinterm Bahnhof 3, 04315 Leipzig]], bei [[PERSON|Krawuttke]] klingeln. Oder PayPal an [[EMAIL obfuscated|k.krawuttke ät example punkt de]]. Meldet euch per SMS: [[PHONE|0 15 20 / {d(3)} {d(2)} {d(2)}]]. LG [[PERSON|Katinka]]""",
        f"""Donation confirmed: 0.05 BTC to [[WALLET|{n.wallet(rng)}]] in memory of Grandpa [[PERSON|Obadiah]]. If you would rather give by bank: [[ACCOUNT|{d(9)}]], routing [[ACCOUNT|0{d(8)}]], [[PERSON|Tabitha Yellowhorse]], [[ADDRESS|PO Box 318, Window Rock, AZ 86515]].""",
        # --- letters and stories ---------------------------------------------------------------------------------
        """The summer I turned nine we buried the cat behind the shed, and [[PERSON|Marguerite]] cried so hard that Aunt [[PERSON|Sophronia]] had to fetch the doctor, old [[PERSON|Haverstock]], who smelt of pipe smoke and had delivered half the village. [[PERSON|Haverstock]] said that grief was a fever like any other. Years later, when [[PERSON|Marguerite]] married [[PERSON|Dov]], she told that story at the table, and [[PERSON|Dov]]'s mother, who had buried more than cats, put down her fork and laughed until she shook.""",
        """"You can't just leave," said [[PERSON|Ptolemy]]. "Watch me," said [[PERSON|Ines]]. Outside, the tram to [[~|Belém]] rattled past; she thought of [[PERSON|Rui]], of the blue tiles in Dona [[PERSON|Amélia]]'s kitchen, and of the letter she had never posted. "[[PERSON|Ines]]?" He never called her [[PERSON|Inesita]] any more.""",
        """Liebe [[PERSON|Ottilie]], nun sind wir schon drei Wochen hier, und der kleine [[PERSON|Ansgar]] hat endlich schwimmen gelernt. Tante [[PERSON|Walburga]] lässt grüßen, sie hat gestern mit Pfarrer [[PERSON|Niederegger]] Schach gespielt und verloren. Kommst du zu meinem Geburtstag am [[DATE|23. August]]? Deine [[PERSON|Mechthild]]""",
        """Mon cher [[PERSON|Isidore]], j'ai revu [[PERSON|Apolline]] au marché ; elle vit maintenant avec [[PERSON|Thibault Rousselot]] et ne parle plus à sa sœur. Tu te souviens de [[PERSON|Gontran]], celui qui jouait du cor ? Il est mort en mars. Je t'embrasse. [[PERSON|Célestine]]""",
        """Oye [[PERSON lower|chuy]], dile a [[PERSON lower|lupita]] que ya salió lo de la visa, que le hable a la licenciada [[PERSON|Ocampo]] al [[PHONE|55 4{d3} {d4}]] antes del viernes. mi CURP no la mandes por aquí. saludos a doña [[PERSON|Refugio]]""".replace(
            "{d3}", d(3)
        ).replace("{d4}", d(4)),
        """Caro [[PERSON|Ermenegildo]], ieri ho incontrato la [[PERSON|Spadaccini]] in tribunale: dice che [[PERSON|Loredana]] vuole vendere la bottega e che l'ingegner [[PERSON|Tagliabue]] ha già fatto un'offerta. Ci vediamo il [[DATE|12 giugno]] da [[PERSON|Nando]]? Un abbraccio, [[PERSON|Zeno]]""",
        f"""拝啓　[[PERSON script|渡辺美咲]]様
先日は[[PERSON script|斎藤]]部長とともにお越しいただき、ありがとうございました。新しい連絡先は[[PHONE|045-{d(3)}-{d(4)}]]、住所は[[ADDRESS|神奈川県横浜市中区山下町{rng.randint(10, 99)}-2]]です。マイナンバー[[JP_MYNUMBER|{n.my_number(rng)}]]の書類は[[DATE|令和6年4月10日]]までにお送りください。
敬具　[[PERSON script|藤原大輔]]""",
        # --- registers, short things, odd forms ------------------------------------------------------------------
        """Baptisms solemnized in the parish in the year 1911. No. 212, [[DATE|Decr 3rd]], [[PERSON|Wilhelmina Maud]], dau. of [[PERSON|Ebenezer]] & [[PERSON|Charity Pobjoy]], of Lower Farm, labourer. No. 213, [[DATE|Decr 10th]], [[PERSON|Albert Edgar]], son of [[PERSON|Hannah Snook]], single woman. By whom: [[PERSON|J. W. Thistlethwayte]], curate.""",
        f"""DOORBELL LABELS 3rd floor: [[PERSON list|Nguyen-Baptiste]] / O. & [[PERSON list|T. Halloran]] / [[PERSON list|Prakash]] / Studio [[PERSON list|Fink]]. Wi-Fi password for the laundry: [[SECRET|soap-{d(3)}-Suds!]]. Caretaker [[PERSON|Zoltán]], [[PHONE|(917) 555-0{d(3)}]].""",
        f"""KYC form. Name as on PAN card: [[PERSON caps|VAIDEHI KRISHNAMOORTHY IYER]]. Father's name: [[PERSON|T. R. Krishnamoorthy]]. Aadhaar [[IN_AADHAAR|{n.aadhaar(rng)}]]. Mobile [[PHONE|+91 98{d(3)} {d(5)}]]. Address: [[ADDRESS|Flat 12, Sai Krupa Apartments, 3rd Cross, Malleshwaram, Bengaluru 560003]]. Nominee: [[PERSON|Aniruddh]].""",
        f"""Hakemus. Nimi: [[PERSON|Aino-Kaisa Virolainen]]. Henkilötunnus: [[FI_HETU|{n.hetu(rng)}]]. Puhelin: [[PHONE|040 {d(3)} {d(4)}]]. Huoltaja: [[PERSON|Reijo Virolainen]]. Osoite: [[ADDRESS|Hämeenkatu 14 B 22, 33100 Tampere]].""",
        """fwd fwd fwd: does anyone have a lawnmower for mrs [[PERSON lower|pumphrey]] at no 6?? hers is bust, and [[PERSON lower|gethin]] is away till tues. ta, [[PERSON lower|morwenna]] x""",
        f"""LOST PARROT. Answers to [[~|Captain]]. Last seen near the bandstand. Reward. Ring [[PERSON|Euphemia]] on [[PHONE|(01474) 49{d(4)}]], knock at [[ADDRESS|31 Windmill Street, Gravesend]], or DM [[HANDLE|@find_captain_{d(2)}]].""",
        *CLEAN,
    ]


CLEAN = [
    "The river rises in the hills above the town and reaches the sea forty miles further south. In wet winters the lower "
    "meadows flood, and the road between the two bridges is closed for days. The mill was rebuilt after the fire of 1868 "
    "and ground flour until the railway came.",
    "Held: the appeal is dismissed. A notice that is posted is served on the second day after posting unless the contrary "
    "is proved. Section 7 of the Act applies; see paragraphs 31 to 38 above. No order as to costs.",
    "Der Mieter hat die Schönheitsreparaturen auf eigene Kosten auszuführen. Haustiere bedürfen der Zustimmung des "
    "Vermieters. Die Kaution beträgt drei Monatsmieten und wird verzinst.",
    "Le preneur s'engage à souscrire une assurance contre l'incendie et les dégâts des eaux. Le dépôt de garantie est fixé "
    "à deux mois de loyer hors charges. Toute sous-location est interdite.",
    "El inquilino no podrá realizar obras sin permiso escrito del propietario. La fianza equivale a una mensualidad. Los "
    "gastos de comunidad están incluidos en la renta.",
    "Il conduttore non può sublocare l'immobile. Le spese condominiali sono ripartite in parti uguali. La cauzione è pari a "
    "tre mensilità del canone.",
    "本契約の期間は二年間とし、期間満了の三か月前までに申し出がない場合は自動的に更新されるものとする。",
    "De huurder is verplicht de woning als een goed huurder te gebruiken. De waarborgsom bedraagt één maand huur.",
    "Najemca zobowiązuje się do utrzymania lokalu w należytym stanie. Kaucja wynosi dwa czynsze.",
    "Hyresgästen ansvarar för skador på lägenheten. Uppsägningstiden är tre månader.",
    "O locatário deve devolver o imóvel no estado em que o recebeu. A multa é de dez por cento.",
    "CREATE TABLE orders (id BIGINT PRIMARY KEY, placed_at TIMESTAMP NOT NULL, total NUMERIC(10,2), status VARCHAR(16) "
    "DEFAULT 'open'); CREATE INDEX idx_orders_status ON orders (status);",
    "services:\n  web:\n    image: nginx:1.25.3\n    ports:\n      - 8080:80\n    deploy:\n      replicas: 2\n  cache:\n    "
    "image: redis:7.2-alpine",
    "warning: unused variable `total`\n  --> src/main.rs:114:9\n   |\n114 |     let total = 0;\n   |         ^^^^^ help: "
    "prefix it with an underscore",
    "artikelnr;bezeichnung;menge;preis\n10023;Sechskantschraube M6x20;500;0,04\n10024;Unterlegscheibe A2;500;0,01\n"
    "10311;Holzdübel 8 mm;200;0,03",
    "Cast on 84 stitches. Work in rib for 6 cm. Next row: k2, p2 to end. Change to 4 mm needles and work straight until the "
    "piece measures 38 cm from the beginning, ending with a wrong-side row.",
    "Serves six. Soak the chickpeas overnight. Fry the onion in olive oil until golden, add cumin, paprika and tinned "
    "tomatoes, simmer for forty minutes and finish with coriander and lemon.",
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3. White stands slightly better.",
    "Tide table: high water 04:12 (6.1 m), low water 10:31 (1.2 m), high water 16:40 (6.3 m). Winds westerly, force 4 to 5, "
    "occasionally 6. Showers, good.",
    "Mind the gap between the train and the platform. Passengers for stations beyond the junction should use the front "
    "four coaches only.",
    "Patients should not eat or drink for six hours before the procedure. A sedative may be given. You must not drive for "
    "24 hours afterwards.",
    "Half of the respondents (n = 612; 51.3 %) agreed strongly, a quarter agreed, and 4.1 % gave no answer. Table 7 breaks "
    "these figures down by region and age group.",
    "In the beginning there was only the workshop, the smell of glue and the sound of the plane. Nobody spoke before the "
    "kettle boiled. Then the day had permission to start.",
    "Kick-off is at three. Gates open at half past one. Please do not bring bottles, flares or umbrellas into the stand.",
    "Ingredients: wheat flour, sugar, palm oil, cocoa (6 %), glucose syrup, raising agents (E500, E503), salt, soya "
    "lecithin. Best before: see lid. Keep in a cool, dry place.",
    "Der Zug nach Norden fährt heute abweichend von Gleis 7. Grund dafür ist eine Signalstörung. Wir bitten um Verständnis.",
    "Attention, le prochain arrêt n'est pas desservi en raison de travaux. Merci d'utiliser la navette.",
    "[chorus] Row the boat over, row the boat home, the wind on the water, the salt in the foam [x2]",
    "Dear neighbours, the skip will be here over the weekend. Please no paint, no batteries and no fridges. Many thanks from "
    "the committee",
    "QTY 4  UNIT EA  DESC BEARING, BALL, 6204-2RS  PRICE 3.85  EXT 15.40\nQTY 1  UNIT BX  DESC GLOVES, NITRILE, LARGE  PRICE "
    "11.20  EXT 11.20",
]
"""Texts with nothing personal in them."""
