"""The first hard set: texts in which every personal item is marked ``[[KIND|value]]``, and clean ones beside them.

``[[~|value]]`` is neutral (a place, a firm): finding it counts neither for nor against. The recognisers were developed
with this set in view; ``hard_second.py`` was written afterwards.
"""

from __future__ import annotations

import random

import hard_numbers as n

GIVEN = [
    "Thandiwe",
    "Bhaskar",
    "Saoirse",
    "Wiesława",
    "Þórdís",
    "Aroha",
    "Ketevan",
    "Rasheeda",
    "Jovana",
    "Vasilis",
    "Ludmila",
    "Xiomara",
    "Ikechukwu",
    "Solveig",
    "Nayeli",
    "Dagmar",
    "Tariq",
    "Parvati",
    "Eilidh",
    "Moritz",
]
FAMILY = [
    "Mokoena",
    "Venkataraman",
    "Ní-Bhriain",
    "Szczepański",
    "Tuilagi",
    "Gelashvili",
    "Hovhannisyan",
    "Traoré",
    "Achterberg",
    "Vandersteen",
    "Quispe",
    "Featherstonehaugh",
    "Öztürk",
    "Ångström",
    "Łukasiewicz",
    "Dąbrowska",
    "Castellanos",
    "Bjørnstad",
    "Okoye",
    "Khachaturian",
]
PLAIN = ["Anna", "Peter", "Maria", "Thomas", "Julia", "Daniel", "Sarah", "Michael", "Laura", "David"]
COMMON = ["Kowalska", "Müller", "Rossi", "García", "Dubois", "Smith", "Tanaka", "Novak", "Silva", "Jensen"]
HOSTS = ["posteo.example.org", "kanzlei-muster.de", "uni-beispiel.edu", "firma.example.com", "correo.example.es"]


def texts(seed: int) -> list[str]:
    """The marked texts, with values drawn by the seed."""
    rng = random.Random(seed)

    def g() -> str:
        return rng.choice(GIVEN)

    def f() -> str:
        return rng.choice(FAMILY)

    def mail(a: str, b: str) -> str:
        plain = str.maketrans("łąßöüøåéńśÞþóíðæÓÖŁÅñç", "lasouaaensttoidaoolanc")
        return f"{a}.{b}@{rng.choice(HOSTS)}".lower().translate(plain).replace("'", "")

    made: list[str] = []
    for _ in range(4):
        a, b, c, d = g(), f(), g(), f()
        p, q = rng.choice(PLAIN), rng.choice(COMMON)
        made += [
            f"hi [[PERSON lower|{a.lower()}]],\ncan you ask [[PERSON|{c} {d}]] about the invoice? "
            f"[[PERSON|{c}]] said she would, and [[PERSON lower|{c.lower()}]] never forgets.\nthanks\n[[PERSON lower|{p.lower()}]]",
            f"DEAR [[PERSON caps|{p.upper()} {q.upper()}]],\nYOUR ACCOUNT WAS CLOSED. PLEASE CALL [[PHONE|+44 20 7946 {n.digits(rng, 4)}]].\n"
            f"REGARDS\n[[PERSON caps|{c.upper()} {d.upper()}]]",
            f"Attendees: [[PERSON list|{a.lower()} {b.lower()}]], [[PERSON list|{c.upper()}]], [[PERSON list|{p.lower()}]]\n"
            f"Minutes were taken by [[PERSON|{p} {q}]]. Next meeting on [[DATE|{rng.randint(1, 28)} March 2025]].",
            f"Prof. [[PERSON initials|{a[0]}. {c[0]}. {b}]] and Ms [[PERSON initials|{d[0]}.]] disagree, as Dr [[PERSON|{d}]] told me.",
            f"The file was sent to [[EMAIL|{mail(a, b)}]] and copied to [[EMAIL obfuscated|{a.lower()} [at] example [dot] org]] "
            f"by [[PERSON|{a} {b}]].",
            f"Reach me: [[EMAIL obfuscated|{p.lower()}.{q.lower().replace('ü', 'ue').replace('í', 'i')}(at)example.com]] or on "
            f"[[HANDLE|@{p.lower()}_{n.digits(rng, 2)}]]; my page is [[DOMAIN|{p.lower()}-{c.lower().replace('þ', 'th').replace('ó', 'o').replace('í', 'i').replace('ł', 'l')}.example.com]].",
            f"Please refund to iban [[IBAN|{n.grouped(n.iban(rng).lower(), 4, 4, 4, 4, 4)}]] ([[PERSON|{c} {d}]]).",
            f"Pay [[IBAN|{n.iban(rng, 'FR', 27)}]] or card [[CARD|{n.grouped(n.luhn(rng, '4', 16), 4, 4, 4, sep=' ')}]], exp. 09/27.",
            f"My SSN is [[US_SSN|{n.ssn(rng)}]], DOB [[DATE|{rng.randint(1, 12)}/{rng.randint(13, 28)}/1979]], "
            f"licence plate [[PLATE|7{rng.choice('ABCDEFG')}{rng.choice('XYZ')}{rng.choice('KLM')}{n.digits(rng, 3)}]].",
            f"The NHS number [[UK_NHS|{n.nhs(rng)}]] belongs to [[PERSON|{a} {b}]], NI number [[UK_NINO|{n.nino(rng)}]].",
            f"Sehr geehrte Frau [[PERSON|{d}]],\nIhre Steuer-ID [[DE_IDNR|{n.idnr(rng)}]] und Ihre neue Anschrift [[ADDRESS|Lindenstraße {rng.randint(2, 99)}a, 1{n.digits(rng, 4)} Berlin]] "
            f"haben wir am [[DATE|{rng.randint(1, 28)}. März 2024]] erhalten. Sie erreichen mich unter [[PHONE|030 90{n.digits(rng, 4)}]].\n"
            f"Mit freundlichen Grüßen\n[[PERSON|{p} {q}]]",
            f"Bonjour [[PERSON|{a}]],\nmon numéro de sécurité sociale est le [[FR_NIR|{n.grouped(n.nir(rng), 1, 2, 2, 2, 3, 3)}]] et j'habite au "
            f"[[ADDRESS|{rng.randint(2, 99)} rue de la République, 69002 Lyon]]. Appelez-moi au [[PHONE|06 {n.grouped(n.digits(rng, 8), 2, 2, 2)}]] avant le [[DATE|{rng.randint(2, 28)} avril 2024]].\n"
            f"Cordialement,\n[[PERSON|{c} {d}]]",
            f"Estimada [[PERSON|{c}]]:\nmi DNI es [[ES_DNI|{n.dni(rng)}]] y vivo en la [[ADDRESS|Calle de Alcalá {rng.randint(2, 200)}, 3º B, 28009 Madrid]]. "
            f"Mi móvil es el [[PHONE|6{n.digits(rng, 2)} {n.digits(rng, 3)} {n.digits(rng, 3)}]]; nací el [[DATE|{rng.randint(2, 28)} de mayo de 1985]].\nUn saludo,\n[[PERSON|{a} {b}]]",
            f"Gentile signora [[PERSON|{d}]],\nil Suo codice fiscale [[IT_CF|{n.codice_fiscale(rng)}]] e l'indirizzo [[ADDRESS|Via Giuseppe Garibaldi {rng.randint(2, 99)}, 20121 Milano]] "
            f"sono stati registrati il [[DATE|{rng.randint(2, 28)} luglio 2023]]. Il mio cellulare: [[PHONE|+39 347 {n.digits(rng, 7)}]].",
            f"[[PERSON script|田中太郎]]様\nマイナンバーは[[JP_MYNUMBER|{n.my_number(rng)}]]、電話は[[PHONE|03-{rng.randint(3200, 3999)}-{n.digits(rng, 4)}]]、"
            f"住所は[[ADDRESS|〒100-0001 東京都千代田区千代田1-{rng.randint(1, 9)}]]です。[[DATE|2024年{rng.randint(1, 12)}月{rng.randint(1, 28)}日]]",
            f"Login from [[IP|{rng.randint(11, 99)}.{rng.randint(1, 250)}.{rng.randint(1, 250)}.{rng.randint(2, 250)}]] and [[IP|2001:db8:{rng.randrange(4096):x}::{rng.randrange(4096):x}]] "
            f"with device [[MAC|{n.mac(rng)}]], user id [[ID|{n.uuid(rng)}]].",
            f"Send it to [[WALLET|{n.wallet(rng)}]] or see [[URL|https://example.org/u/{a.lower()}?ref={n.digits(rng, 5)}]]. "
            f"The password is [[SECRET|Tr0ub4dor&{n.digits(rng, 2)}]].",
            f"Passport no. [[PASSPORT|{rng.choice('CFGHJK')}{n.digits(rng, 8)}]], patient MRN: [[MRN|{n.digits(rng, 7)}]], policy number [[POLICY|HV-{n.digits(rng, 6)}]].",
            f"Witness [[PERSON|{a} {b}]] lives at [[ADDRESS|{rng.randint(2, 220)} Station Road, Leeds LS{rng.randint(1, 9)} {rng.randint(1, 9)}AB]]; "
            f"seen near [[COORDINATES|5{rng.randint(0, 9)}.{n.digits(rng, 5)}, -1.{n.digits(rng, 5)}]] on [[DATE|2024-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}]].",
            f"PESEL [[PL_PESEL|{n.pesel(rng)}]], personnummer [[SE_PNR|{n.personnummer(rng)}]], rijksregister [[BE_NN|{n.belgian(rng)}]], AHV-Nummer [[CH_AHV|{n.ahv(rng)}]].",
            f"CPF [[BR_CPF|{n.cpf(rng)}]] and Aadhaar [[IN_AADHAAR|{n.aadhaar(rng)}]] were both on the form of [[PERSON|{c} {d}]].",
            f"Уважаемая [[PERSON script|Анна Сергеевна Петрова]], ваш паспорт готов. Звоните: [[PHONE|+7 495 {n.digits(rng, 3)}-{n.digits(rng, 2)}-{n.digits(rng, 2)}]].",
            f"We met [[PERSON|{a} {b}]] in the lobby. Later [[PERSON|{b}]] apologised; {'her' if rng.random() < 0.5 else 'his'} badge no. [[ID|B-{n.digits(rng, 5)}]] was found.",
            f"My name is [[PERSON lower|{p.lower()} {q.lower()}]], i was born on [[DATE|{rng.randint(1, 28)}.{rng.randint(1, 12)}.1990]] and skype is [[HANDLE|{p.lower()}.{n.digits(rng, 3)}]]",
        ]
    return made + CLEAN


CLEAN = [
    "The meeting with the finance team is moved to next week. Please bring 250 copies of the English brochure.",
    "Version 4.2.1 of the installer fixes the problem; version 10.0.19045 is not affected.",
    "Will you have time before the train leaves at 10:30? May I ask for the invoice by Friday?",
    "Our server room needs 3 new fans and 1200 screws. The total comes to 1,249.50 euros including tax.",
    "Everything in the Python script works except the last step. Kubernetes restarts the pod after 300 seconds.",
    "Rose bushes along the fence need cutting. Mark the dates in the calendar, and bill the client later.",
    "The board has not decided on the budget for 2025. Revenue rose 12.5 % to 3,400,000 in Q3.",
    "Section 12.4.1.2 of ISO-27001 applies. See RFC 2822, chapter 3, and ticket queue overflow.",
    "Thanks for the quick answer, it helped a lot. Hope all is well!",
    "Chapter 7: The Hunter and the Fisher. A Grant was given to the Young Mason Society.",
    "Use ASP.NET, Node.js or three.js; run main.py and read README.md, then edit config.yaml.",
    "The ratio is 0.3333 and the loss 1.2345e-05 after 100000 steps with seed 1234567.",
    "Der Vertrag wird im nächsten Jahr verlängert. Die Lieferung der Maschinen dauert etwa drei Wochen.",
    "La réunion est reportée à la semaine prochaine, merci de prévenir les autres participants.",
    "El informe se entregará la próxima semana; el presupuesto es de 12.500 euros.",
    "La consegna è prevista per la prossima settimana e il prezzo è di 1.250 euro.",
    "会議は来週に延期されました。資料は三部印刷してください。",
    "Dear customer,\nyour order has shipped. Best regards,\nThe Support Team",
    "Hi all,\nplease remember to submit your hours by Monday.\nThanks",
    "TO WHOM IT MAY CONCERN: ALL ITEMS MUST BE RETURNED BEFORE THE END OF THE MONTH.",
    "In summer the Drew bridge is closed. The Long Road to Freedom is a good book.",
    "Please dial the extension and press 5. The form has 14 pages, 3 tables and 27 figures.",
    "The part number is 4471-A and the bolt size M8x40; torque 25 Nm at 1,500 rpm.",
    "He scored 98.6 on the test, up from 91.2, in 2 hours and 15 minutes.",
    "Copyright 1998-2024. All rights reserved. Printed in 2 colours on 80 g paper.",
    "The new iPhone costs 999 dollars; Microsoft Teams and Google Drive were down for 2 hours.",
    "The class StringBuilder extends AbstractBuilder and overrides toString.",
    "Add 200 g flour, 3 eggs and a pinch of salt. Bake at 180 degrees for 25 minutes.",
    "The polynomial x^2 + 3x + 2 has the roots -1 and -2; see Figure 3 and Table 12.",
    "ERROR 404: the page was not found. WARNING: low disk space on drive C.",
    "The Prime Minister spoke in Parliament on Tuesday about the National Health Service.",
    "We sell Cheddar, Gouda and Dijon mustard. The Christmas menu starts in December.",
    "An SQL query with 3 JOINs took 12 ms; PostgreSQL 15 was faster than MySQL 8.",
    "Art is long, life is short. Faith, hope and charity; grace under pressure.",
    "Order 66 screws of size 4 x 40 and 12 boxes of A4 paper, 80 g.",
    "The CPU runs at 3.4 GHz with 16 GB of RAM, and the fan at 1200 rpm.",
]
"""Texts with nothing personal in them."""
